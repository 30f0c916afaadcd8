import type { Connection, Value } from './connection.ts'

// A statement takes longer to begin and to end than to insert a short row. So rows that differ in a few columns only are inserted by the
// fifty, and what is left of them by the ten and by the two: what they have in common is bound once.

/** Rows that one statement inserts, from the most. */
const SIZES = [50, 10, 2, 1] as const

/** An insert. `VALUES` and the rows stand in between. */
interface Insert {
  readonly insert: string
  readonly otherwise: string
}

/** What was inserted of many rows. */
interface Inserted {
  readonly count: number
  readonly lastId: number
}

/** An insert of any number of rows that have the same in some of their columns. */
export class ManyRows {
  readonly #statements: readonly { readonly size: number; readonly sql: string }[]
  readonly #own: number

  /** So many columns are the same in all rows, and come first; after them those that are each row's own. */
  constructor(insert: Insert, columns: { readonly common: number; readonly own: number }) {
    const { common, own } = columns
    this.#own = own
    this.#statements = SIZES.map((size) => ({ size, sql: textOf(insert, common, own, size) }))
  }

  /** @param own what is each row's own, row by row */
  insert(db: Connection, common: readonly Value[], own: readonly Value[]): Inserted {
    let count = 0
    let lastId = 0
    let at = 0
    for (const { size, sql } of this.#statements) {
      const values = size * this.#own
      for (; at + values <= own.length; at += values) {
        const { changes, lastInsertRowid } = db.prepare(sql).run(...common, ...own.slice(at, at + values))
        count += Number(changes)
        lastId = Number(lastInsertRowid)
      }
    }
    return { count, lastId }
  }
}

/** A place that has a number is looked for by it whenever a value is bound; so only those that are used again have one. */
function textOf({ insert, otherwise }: Insert, common: number, own: number, size: number): string {
  const shared = Array.from({ length: common }, (_, index) => (size > 1 ? `?${index + 1}` : '?'))
  const row = `(${[...shared, ...Array<string>(own).fill('?')].join(', ')})`
  return `${insert} VALUES ${Array<string>(size).fill(row).join(', ')} ${otherwise}`
}
