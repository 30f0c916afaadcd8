import type { Signal } from '../../core/decision.ts'
import type { Changes, DueKey, ReadyKey, WaitKey } from '../tables/tables.ts'
import type { Connection, Value } from './connection.ts'
import { ManyRows } from './many-rows.ts'

export function changeReady(db: Connection, { drops, adds }: Changes<ReadyKey>): void {
  if (drops.length > 0) {
    const drop = db.prepare(
      'DELETE FROM ready WHERE queue = ? AND tenant_id = ? AND grp = ? AND rank = ? AND job_id = ?',
    )
    for (const { queue, tenant_id, group, rank, job_id } of drops)
      drop.run(queue, tenant_id, group, rank, job_id)
  }
  for (let at = 0; at < adds.length; ) {
    const { queue, tenant_id, group } = adds[at] as ReadyKey
    const own: Value[] = []
    for (; at < adds.length; at++) {
      const key = adds[at] as ReadyKey
      if (key.queue !== queue || key.tenant_id !== tenant_id || key.group !== group) break
      own.push(key.rank, key.job_id)
    }
    ADD_READY.insert(db, [queue, tenant_id, group], own)
  }
}

const ADD_READY = new ManyRows(
  { insert: 'INSERT OR IGNORE INTO ready (queue, tenant_id, grp, rank, job_id)', otherwise: '' },
  { common: 3, own: 2 },
)

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
