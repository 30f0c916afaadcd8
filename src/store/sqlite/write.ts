import type { Head, NewChunk, WriteSet, Written } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { Fault } from './fault.ts'
import { insertJobs, putRecords, updateJobs, verifyVersions } from './write-aggregates.ts'
import { putClaims, putRefusals, putSlots } from './write-devices.ts'
import { changeDue, changeReady, changeWaits, deliver, owe } from './write-work.ts'

/**
 * Writes everything, within a transaction that has the database for itself. Whoever calls it ends the transaction: when
 * it throws, nothing of it may stay.
 */
export function write(db: Connection, set: WriteSet): Written {
  const before = headOf(db)
  // Nobody else writes: the next place is known before it is taken.
  const told = set.chunk === null ? '' : `,${before.seq + 1}`
  verifyVersions(db, set.verify)
  updateJobs(db, set.jobs, told)
  putRecords(db, set.records, told)
  insertJobs(db, set.newJobs, told)
  putRows(db, set)
  putClaims(db, set.claims)
  putSlots(db, set.slots)
  putRefusals(db, set.refusals, told)
  changeReady(db, set.ready)
  changeDue(db, set.due)
  changeWaits(db, set.waits)
  deliver(db, set.delivered)
  const owes = owe(db, set.signals)
  count(db, set)
  const places = set.chunk?.places ?? 0
  const head = {
    seq: before.seq + places,
    at: Math.max(before.at, set.at),
    records: before.records + places,
    removed: before.removed,
  }
  db.run('UPDATE head SET seq = ?, at = ?, records = ?', head.seq, head.at, head.records)
  if (set.chunk !== null) append(db, before.seq + 1, set.chunk)
  return { head, owes }
}

export function headOf(db: Connection): Head {
  const head = db.get<Head>('SELECT seq, at, records, removed FROM head')
  if (head === undefined) throw new Fault('damaged', 'the table head has no row')
  return head
}

function putRows(db: Connection, { rows }: WriteSet): void {
  if (rows.length === 0) return
  const put = db.prepare(`
    INSERT INTO closed_outbox (tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, outbox_id) DO UPDATE SET
      job_id = excluded.job_id, step_id = excluded.step_id, state = excluded.state,
      changed_at = excluded.changed_at, body = excluded.body`)
  for (const { tenant_id, outbox_id, job_id, step_id, state, changed_at, body } of rows) {
    put.run(tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
  }
}

function count(db: Connection, { counts }: WriteSet): void {
  for (const { tenant_id, kind, state, n } of counts) {
    db.run(
      `INSERT INTO state_count (tenant_id, kind, state, n) VALUES (?, ?, ?, ?)
       ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = n + excluded.n`,
      tenant_id,
      kind,
      state,
      n,
    )
  }
}

function append(db: Connection, first_seq: number, chunk: NewChunk): void {
  const { places, first_at, last_at, sketch, entries, tags } = chunk
  const before = db.get<{ reach: number }>('SELECT reach FROM log ORDER BY first_seq DESC LIMIT 1')
  db.run(
    'INSERT INTO log (first_seq, places, first_at, last_at, reach, sketch, entries) VALUES (?, ?, ?, ?, ?, ?, ?)',
    first_seq,
    places,
    first_at,
    last_at,
    Math.max(last_at, before?.reach ?? last_at),
    sketch,
    entries,
  )
  for (const tag of tags)
    db.run('INSERT OR IGNORE INTO log_tag (tag, first_seq) VALUES (?, ?)', tag, first_seq)
}
