import type { RecordKind } from '../../core/machines/all.ts'
import type { Place } from '../place.ts'
import type { Find } from '../tables/tables.ts'
import { addRange, type Clause, type OrderColumns, orderOf, type Way, wantedOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { compareStored } from './text-order.ts'

/** Rows of a table that an index has in the order asked for. */
export interface Part {
  readonly table: string
  readonly clause: Clause
  readonly columns: OrderColumns
  readonly way: Way
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

function findPart(db: Connection, query: Find, { table, clause, columns, way }: Part): readonly FoundRow[] {
  addRange(clause, query, columns, way)
  const at = query.order === 'changed' ? columns.at : '0'
  const sql = `
    SELECT rowid AS "row", ${at} AS at, tenant_id, ${columns.id} AS id
    FROM ${table} ${clause.sql} ${orderOf(query, columns, way)} LIMIT ?`
  return db.all<FoundRow>(sql, ...clause.values, query.limit)
}

/**
 * Whether to sort all that is in these states, or to walk along all records until enough of them came by: whichever looks at
 * fewer.
 */
export function wayTo(db: Connection, kind: RecordKind, { where, limit }: Find): Way {
  const states = wantedOf(where, 'state')
  if (states === undefined) return 'order'
  const { all, some } = db.get<{ all: number | null; some: number | null }>(
    `SELECT sum(n) AS "all", sum(n) FILTER (WHERE state IN (SELECT value FROM json_each(?))) AS some
     FROM state_count WHERE kind = ?`,
    JSON.stringify(states),
    kind,
  ) ?? { all: 0, some: 0 }
  return (some ?? 0) ** 2 < (all ?? 0) * limit ? 'filter' : 'order'
}
