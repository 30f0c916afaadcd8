import type { WriteSet, Written } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import {
  claimsText,
  leaveSlots,
  mayBeLeft,
  NOTHING_LEFT,
  placeReady,
  placeSlots,
  readyText,
} from './left-in-tail.ts'
import { append, headOf, isLarge, type LeftWithPart, passBy, type TailHead } from './tail.ts'
import { insertJobs, putRecords, updateJobs, verifyVersions } from './write-aggregates.ts'
import { putRefusals, putSlots } from './write-devices.ts'
import { changeDue, changeReady, changeWaits, deliver, owe } from './write-work.ts'

/**
 * Writes everything, within a transaction that has the database for itself. Whoever calls it ends the transaction: when
 * it throws, nothing of it may stay.
 */
export function write(db: Connection, set: WriteSet): Written {
  const before = db.lastHead.known ?? headOf(db)
  // Nobody else writes: the next place is known before it is taken.
  const told = set.chunk === null ? '' : `,${before.seq + 1}`
  verifyVersions(db, set.verify)
  updateJobs(db, set.jobs, told)
  putRecords(db, set.records, told)
  insertJobs(db, set.newJobs, told)
  putRows(db, set)
  const isLeft = set.chunk !== null && !isLarge(set.chunk) && mayBeLeft(set)
  const left = isLeft ? leave(db, before, set) : putInPlace(db, before, set)
  putRefusals(db, set.refusals, told)
  changeDue(db, set.due)
  changeWaits(db, set.waits)
  deliver(db, set.delivered)
  const owes = owe(db, set.signals)
  const after = set.chunk === null ? passBy(db, before, set, left) : append(db, before, set.chunk, set, left)
  db.lastHead.wrote(after)
  const { seq, at, records, removed } = after
  return { head: { seq, at, records, removed }, owes }
}

/** In the row that its part of the log gets anyway. */
function leave(db: Connection, before: TailHead, { ready, slots, claims }: WriteSet): LeftWithPart {
  if (claims.length > 0) db.newClaims.check(db, claims)
  return {
    ready: readyText(ready.adds),
    ready_left: before.ready_left + ready.adds.length,
    slots: leaveSlots(db, before, slots),
    claims: claimsText(claims),
  }
}

/** Where it is found. What it would not find there, because it is still in the tail, is put there first. */
function putInPlace(db: Connection, before: TailHead, { ready, slots, claims }: WriteSet): LeftWithPart {
  if (claims.length > 0) db.newClaims.put(db, claims)
  if (slots.length > 0) {
    placeSlots(db)
    putSlots(db, slots)
  }
  if (ready.drops.length > 0) placeReady(db)
  changeReady(db, ready)
  return {
    ready: '[]',
    ready_left: ready.drops.length > 0 ? 0 : before.ready_left,
    slots: slots.length > 0 ? NOTHING_LEFT.slots : before.slots,
    claims: '[]',
  }
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
