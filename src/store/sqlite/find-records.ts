import type { AloneKind } from '../../core/aggregate.ts'
import { type Machine, statesOf } from '../../core/machine.ts'
import { machines } from '../../core/machines/all.ts'
import type { Find, RecordRow } from '../tables/tables.ts'
import { type Clause, type FieldColumns, type Way, wantedOf, whereOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { findRows, type Part, wayTo } from './find-rows.ts'

const FIELDS: { readonly [kind in AloneKind]: FieldColumns } = {
  document: { state: 'state', adapter: 'adapter', doc_id: 'id' },
  run: { state: 'state', run_id: 'id' },
  workstream: { state: 'state', run_id: 'run_id', workstream_id: 'id' },
  queue: { state: 'state', queue: 'id' },
  schedule: { state: 'state' },
  token: { state: 'state' },
}

const COLUMNS = { at: 'changed_at', id: 'id' }

export function findRecords(db: Connection, kind: AloneKind, query: Find): readonly RecordRow[] {
  const others = () => whereOf(query.where, FIELDS[kind], 'state')?.add('kind = ?', kind) ?? null
  if (others() === null) return []
  const parts = partsOf(db, kind, query, () => others() as Clause)
  const sql = 'SELECT kind, tenant_id, id, version, body FROM record WHERE rowid = ?'
  return findRows(db, query, parts).flatMap(({ row }) => db.all<RecordRow>(sql, row))
}

/** The index has the times of each state by itself. */
function partsOf(db: Connection, kind: AloneKind, query: Find, others: () => Clause): readonly Part[] {
  const states = wantedOf(query.where, 'state')
  const part = (clause: Clause, way: Way, table = 'record'): Part => ({
    table,
    clause,
    columns: COLUMNS,
    way,
  })
  if (query.order === 'changed') {
    const all = states ?? statesOf(machines[kind] as Machine<string>)
    return [...new Set(all)].map((state) => part(others().addAny('state', [state]), 'order', BY_STATE))
  }
  if (states === undefined) return [part(others(), 'order')]
  if (wayTo(db, kind, query) === 'order') return [part(others().addAny('+state', states), 'order')]
  return [part(others().addAny('state', states), 'filter', BY_STATE)]
}

const BY_STATE = 'record INDEXED BY record_state'
