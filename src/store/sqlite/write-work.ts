import type { Signal } from '../../core/decision.ts'
import { isBeside } from '../tables/alike-rows.ts'
import type { Changes, DueKey, ReadyKey, WaitKey } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { insertMany, manyRows, ROWS_AT_ONCE } from './many-rows.ts'

export function changeReady(db: Connection, { drops, adds }: Changes<ReadyKey>): void {
  if (drops.length > 0) {
    const drop = db.prepare(
      'DELETE FROM ready WHERE queue = ? AND tenant_id = ? AND grp = ? AND rank = ? AND job_id = ?',
    )
    for (const { queue, tenant_id, group, rank, job_id } of drops)
      drop.run(queue, tenant_id, group, rank, job_id)
  }
  for (let at = 0; at < adds.length; ) {
    const { queue, tenant_id, group, rank, job_id } = adds[at] as ReadyKey
    if (areInOnePlace(adds, at)) {
      const ids = adds.slice(at, at + ROWS_AT_ONCE).map((key) => key.job_id)
      insertMany(db, ADD_MANY_READY, [queue, tenant_id, group, rank], ids)
      at += ROWS_AT_ONCE
    } else {
      db.run(ADD_READY, queue, tenant_id, group, rank, job_id)
      at++
    }
  }
}

const NEW_READY = {
  insert: 'INSERT OR IGNORE INTO ready (queue, tenant_id, grp, rank, job_id)',
  otherwise: '',
}
const ADD_READY = `${NEW_READY.insert} VALUES (?, ?, ?, ?, ?)`
const ADD_MANY_READY = manyRows(NEW_READY, [1, 2, 3, 4, null])

/** Whether there are enough from there on for one statement. */
function areInOnePlace(keys: readonly ReadyKey[], start: number): boolean {
  const end = start + ROWS_AT_ONCE
  if (end > keys.length) return false
  const first = keys[start] as ReadyKey
  for (let at = start + 1; at < end; at++) if (!isBeside(first, keys[at] as ReadyKey)) return false
  return true
}

export function changeDue(db: Connection, { drops, adds }: Changes<DueKey>): void {
  if (drops.length > 0) {
    const drop = db.prepare('DELETE FROM due WHERE due_at = ? AND tenant_id = ? AND job_id = ?')
    for (const { due_at, tenant_id, job_id } of drops) drop.run(due_at, tenant_id, job_id)
  }
  if (adds.length > 0) {
    const add = db.prepare('INSERT OR IGNORE INTO due (due_at, tenant_id, job_id) VALUES (?, ?, ?)')
    for (const { due_at, tenant_id, job_id } of adds) add.run(due_at, tenant_id, job_id)
  }
}

export function changeWaits(db: Connection, { drops, adds }: Changes<WaitKey>): void {
  for (const { tenant_id, topic, job_id } of drops)
    db.run('DELETE FROM wait WHERE tenant_id = ? AND topic = ? AND job_id = ?', tenant_id, topic, job_id)
  for (const { tenant_id, topic, job_id } of adds)
    db.run('INSERT OR IGNORE INTO wait (tenant_id, topic, job_id) VALUES (?, ?, ?)', tenant_id, topic, job_id)
}

export function deliver(db: Connection, delivered: readonly number[]): void {
  for (const id of delivered) db.run('DELETE FROM owed WHERE id = ?', id)
}

/** Whoever waits for any of the topics is owed one call, also when it waits for several of them. False when nobody does. */
export function owe(db: Connection, signals: readonly Signal[]): boolean {
  if (signals.length === 0) return false
  const owed = db.run(
    `INSERT INTO owed (tenant_id, job_id)
     SELECT DISTINCT wait.tenant_id, wait.job_id
     FROM json_each(?) AS signal
     JOIN wait ON wait.tenant_id = signal.value ->> 0 AND wait.topic = signal.value ->> 1`,
    JSON.stringify(signals.map(({ tenant_id, topic }) => [tenant_id, topic])),
  )
  return owed > 0
}
