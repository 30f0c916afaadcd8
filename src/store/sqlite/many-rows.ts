import type { Connection, Value } from './connection.ts'

// A statement takes longer to begin and to end than to insert a short row. So rows that differ in a few columns only are inserted by the
// fifty: what they have in common is bound once.

export const ROWS_AT_ONCE = 50

/** An insert of many rows. `VALUES` and the rows stand in between. */
export interface ManyRows {
  readonly insert: string
  readonly otherwise: string
}

/**
 * A row of `VALUES`, as often as there are rows: `common` of its columns are the same in all of them and come first among what is
 * bound; what is different comes after them, row by row.
 *
 * @param row the columns in their order, each of them the place of what is common, or null where it is the row's own
 */
export function manyRows({ insert, otherwise }: ManyRows, row: readonly (number | null)[]): string {
  const common = row.filter((place) => place !== null).length
  let next = common
  const places = () => row.map((place) => `?${place ?? ++next}`).join(', ')
  const rows = Array.from({ length: ROWS_AT_ONCE }, () => `(${places()})`)
  return `${insert} VALUES ${rows.join(', ')} ${otherwise}`
}

/** Answers how many rows there are by now. */
export function insertMany(
  db: Connection,
  sql: string,
  common: readonly Value[],
  own: readonly Value[],
): number {
  return Number(db.prepare(sql).run(...common, ...own).changes)
}
