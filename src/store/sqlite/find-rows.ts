import type { Place } from '../place.ts'
import type { Find } from '../tables/tables.ts'
import { addRange, type Clause, type OrderColumns, orderOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { compareStored } from './text-order.ts'

/** Rows of a table that an index has in the order asked for. */
export interface Part {
  readonly table: string
  readonly clause: Clause
  readonly columns: OrderColumns
}

export interface FoundRow extends Place {
  readonly row: number
}

/**
 * The first rows of all parts together. Only where they stand is read: long texts would have to be sorted with it, and
 * most of them are not wanted.
 */
export function findRows(db: Connection, query: Find, parts: readonly Part[]): readonly FoundRow[] {
  const lists = parts.map((part) => findPart(db, query, part))
  if (lists.length === 1) return lists[0] as readonly FoundRow[]
  const sign = query.isDescending ? -1 : 1
  const all = lists.flat().sort((a, b) => sign * compareStored(a, b))
  return all.slice(0, query.limit)
}

function findPart(db: Connection, query: Find, { table, clause, columns }: Part): readonly FoundRow[] {
  addRange(clause, query, columns)
  const at = query.order === 'changed' ? columns.at : '0'
  const sql = `
    SELECT rowid AS "row", ${at} AS at, tenant_id, ${columns.id} AS id
    FROM ${table} ${clause.sql} ${orderOf(query, columns)} LIMIT ?`
  return db.all<FoundRow>(sql, ...clause.values, query.limit)
}
