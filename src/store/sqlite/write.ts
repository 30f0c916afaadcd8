import type { WriteSet, Written } from '../tables/tables.ts'
import { putClaims } from './claims.ts'
import type { Connection } from './connection.ts'
import { foldAll } from './fold.ts'
import { count, putInLog } from './log.ts'
import { foldedOf } from './tail.ts'
import { insertJobs, putRecords, updateJobs, verifyVersions } from './write-aggregates.ts'
import { putRefusals, putSlots } from './write-devices.ts'
import { putRows } from './write-rows.ts'
import { changeDue, changeReady, changeWaits, deliver, owe } from './write-work.ts'

/**
 * Writes everything in place, within a transaction that has the database for itself. Whoever calls it ends the transaction: when
 * it throws, nothing of it may stay.
 */
export function write(db: Connection, set: WriteSet): Written {
  foldAll(db)
  const before = foldedOf(db)
  const { chunk } = set
  // Nobody else writes: the next place is known before it is taken.
  const told = chunk === null ? '' : `,${before.seq + 1}`
  verifyVersions(db, set.verify)
  updateJobs(db, set.jobs, told)
  putRecords(db, set.records, told)
  insertJobs(db, set.newJobs, told)
  putRows(db, set.rows)
  putClaims(db, set.claims)
  putSlots(db, set.slots)
  changeReady(db, set.ready)
  putRefusals(db, set.refusals, told)
  changeDue(db, set.due)
  changeWaits(db, set.waits)
  deliver(db, set.delivered)
  const owes = owe(db, set.signals)
  if (chunk !== null) putInLog(db, before.seq + 1, chunk)
  count(db, set.counts)
  const places = chunk?.places ?? 0
  const head = {
    seq: before.seq + places,
    at: Math.max(before.at, set.at),
    records: before.records + places,
    removed: before.removed,
  }
  const turn = before.turn + 1
  db.run('UPDATE head SET seq = ?, at = ?, records = ?, turn = ?', head.seq, head.at, head.records, turn)
  return { head, owes, turn }
}
