/** Programmer mistakes crash; bad input never reaches here (it is refused before). */
export function must(condition: boolean, claim: string | (() => string)): asserts condition {
  // What has to be put together is put together only when it is said: most of these are on the way of every change.
  if (!condition) throw new Error(`Broken invariant: ${typeof claim === 'string' ? claim : claim()}`)
}

/** The value, where the surrounding code guarantees that there is one. */
export function present<T>(value: T | null | undefined, claim: string): T {
  must(value !== null && value !== undefined, claim)
  return value
}
