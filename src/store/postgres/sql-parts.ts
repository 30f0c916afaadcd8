/** Conditions and their values, collected. */
export class SqlParts {
  readonly values: unknown[] = []

  /** A value by its place in the list of them. */
  value(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/** Conditions that all have to hold; true when there are none. */
export function all(conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? 'true' : given.join(' AND ')
}
