import { DatabaseSync } from 'node:sqlite'
import { wholePartSql } from '../../src/store/tables/tail/part-forms.ts'

const database = new DatabaseSync(':memory:')
const sql = wholePartSql(
  '?1',
  (nth) => `?2 -> ${nth}`,
  (code) => `char(${code})`,
)
const statement = database.prepare(`SELECT ${sql} AS part`)

/** A part by its form and what is its own, as a database puts it together. */
export function wholePart(form: string, own: string): string {
  return (statement.get(form, own) as { readonly part: string }).part
}
