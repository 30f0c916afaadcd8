/** A list and one more. Mostly it is the only one, and a list that grows takes room for many. */
export function withOne<T>(list: readonly T[], one: T): readonly T[] {
  return list.length === 0 ? [one] : [...list, one]
}
