import type { WriteSet, Written } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { append, headOf, passBy } from './tail.ts'
import { insertJobs, putRecords, updateJobs, verifyVersions } from './write-aggregates.ts'
import { putRefusals, putSlots } from './write-devices.ts'
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
  if (set.claims.length > 0) db.newClaims.put(db, set.claims)
  putSlots(db, set.slots)
  putRefusals(db, set.refusals, told)
  changeReady(db, set.ready)
  changeDue(db, set.due)
  changeWaits(db, set.waits)
  deliver(db, set.delivered)
  const owes = owe(db, set.signals)
  const head = set.chunk === null ? passBy(db, before, set) : append(db, before, set.chunk, set)
  return { head, owes }
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
