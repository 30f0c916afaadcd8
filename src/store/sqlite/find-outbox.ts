import type { OutboxRecord } from '../../core/job/record.ts'
import { isTerminal, type Machine, statesOf } from '../../core/machine.ts'
import { outboxMachine } from '../../core/machines/outbox.ts'
import type { Place } from '../place.ts'
import { changedAt, matchesFind } from '../query.ts'
import { decodeJob } from '../tables/job-codec.ts'
import type { ClosedRow, Find, FoundOutbox, JobRow } from '../tables/tables.ts'
import { Clause, type FieldColumns, type Way, wantedOf, whereOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { asksOnlyEnded, asksOnlyOpen } from './find-jobs.ts'
import { findRows, type Part, wayTo } from './find-rows.ts'
import { CLOSED_COLUMNS, JOB_COLUMNS, jobRows, loadClosed } from './load.ts'
import { compareStored } from './text-order.ts'

const FIELDS: FieldColumns = { state: 'state', job_id: 'job_id', step_id: 'step_id' }
const COLUMNS = { at: 'changed_at', id: 'outbox_id' }
const MACHINE = outboxMachine as Machine<string>

interface Placed {
  readonly place: Place
  readonly found: FoundOutbox
}

/** Rows that are closed have a table; those that are open are part of their job. */
export function findOutbox(db: Connection, query: Find): readonly FoundOutbox[] {
  const sign = query.isDescending ? -1 : 1
  return [...closedRows(db, query), ...openRows(db, query)]
    .sort((a, b) => sign * compareStored(a.place, b.place))
    .slice(0, query.limit)
    .map(({ found }) => found)
}

export function outboxRow(db: Connection, tenant_id: string, outbox_id: string): FoundOutbox | null {
  const closed = loadClosed(db, tenant_id, outbox_id)
  if (closed !== undefined) return { closed }
  const job = jobWithRow(db, tenant_id, outbox_id)
  return job === null ? null : { job, outbox_id }
}

export function jobWithRow(db: Connection, tenant_id: string, outbox_id: string): JobRow | null {
  const sql = `SELECT ${JOB_COLUMNS} FROM job WHERE tenant_id = ? AND open_rows > 0 AND instr(moving, ?) > 0`
  const jobs = jobRows(db, sql, tenant_id, JSON.stringify(outbox_id))
  return jobs.find((job) => rowsOf(job).some((row) => row.outbox_id === outbox_id)) ?? null
}

function closedRows(db: Connection, query: Find): readonly Placed[] {
  if (whereOf(query.where, FIELDS) === null || asksOnlyOpen(query, MACHINE)) return []
  const sql = `SELECT ${CLOSED_COLUMNS} FROM closed_outbox WHERE rowid = ?`
  return findRows(db, query, closedParts(db, query)).flatMap((place) =>
    db.all<ClosedRow>(sql, place.row).map((closed) => ({ place, found: { closed } })),
  )
}

/** By the time of change an index has each state by itself. */
function closedParts(db: Connection, query: Find): readonly Part[] {
  const part = (clause: Clause, way: Way, table = 'closed_outbox'): Part => ({
    table,
    clause,
    columns: COLUMNS,
    way,
  })
  const whole = () => whereOf(query.where, FIELDS) as Clause
  // A job has few of them.
  if (wantedOf(query.where, 'job_id') !== undefined) return [part(whole(), 'filter')]
  const states = wantedOf(query.where, 'state')?.filter((state) => ENDS.includes(state))
  if (query.order === 'id') {
    const isFew = states !== undefined && wayTo(db, 'outbox', query) === 'filter'
    return [isFew ? part(whole(), 'filter', BY_STATE) : part(whole(), 'order')]
  }
  return [...new Set(states ?? ENDS)].map((state) => {
    const others = whereOf(query.where, FIELDS, 'state') as Clause
    return part(others.addAny('state', [state]), 'order', BY_STATE)
  })
}

const BY_STATE = 'closed_outbox INDEXED BY closed_outbox_state'
const ENDS: readonly string[] = statesOf(MACHINE).filter((state) => isTerminal(MACHINE, state))

function openRows(db: Connection, query: Find): readonly Placed[] {
  if (asksOnlyEnded(query, MACHINE)) return []
  const clause = new Clause().add('open_rows > 0')
  if (query.tenant_id !== undefined) clause.add('tenant_id = ?', query.tenant_id)
  const ids = wantedOf(query.where, 'job_id')
  if (ids !== undefined) clause.addAny('job_id', ids)
  const sign = query.isDescending ? -1 : 1
  const placed: Placed[] = []
  for (const job of jobRows(db, `SELECT ${JOB_COLUMNS} FROM job ${clause.sql}`, ...clause.values)) {
    for (const row of rowsOf(job)) {
      if (!matchesFind(row, { ...query, kind: 'outbox', after: undefined })) continue
      const { tenant_id, outbox_id } = row
      const place = { at: query.order === 'changed' ? changedAt(row) : 0, tenant_id, id: outbox_id }
      if (query.after !== null && sign * compareStored(place, query.after) <= 0) continue
      placed.push({ place, found: { job, outbox_id } })
    }
  }
  return placed
}

function rowsOf(job: JobRow): readonly OutboxRecord[] {
  return decodeJob(job).aggregate.outbox
}
