/** Programmer mistakes crash; bad input never reaches here (it is refused before). */
export function must(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${claim}`)
}

/** The value, where the surrounding code guarantees that there is one. */
export function present<T>(value: T | null | undefined, claim: string): T {
  must(value !== null && value !== undefined, claim)
  return value
}
