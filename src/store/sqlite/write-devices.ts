import type { RefusalWrite, SlotWrite } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { lost } from './write-aggregates.ts'

interface Used {
  readonly version: number
  readonly counted: number
}

export function putSlots(db: Connection, slots: readonly SlotWrite[]): void {
  for (const slot of slots) {
    const { tenant_id, key, add, most, named, from } = slot
    if (named === null && countOn(db, slot)) continue
    const sql = 'SELECT version, counted FROM slot WHERE tenant_id = ? AND key = ?'
    const there = db.get<Used>(sql, tenant_id, key)
    const { version, counted } = there ?? { version: 0, counted: 0 }
    if (most !== null && counted > most) throw lost(`the limit ${key}`)
    if (named !== null && version !== from) throw lost(`who holds the limit ${key}`)
    const used = [counted + add, named === null ? version : version + 1] as const
    const list = named === null ? null : JSON.stringify(named)
    if (there === undefined) {
      const insert = 'INSERT INTO slot (counted, version, named, tenant_id, key) VALUES (?, ?, ?, ?, ?)'
      db.run(insert, ...used, list ?? '[]', tenant_id, key)
    } else {
      const update =
        'UPDATE slot SET counted = ?, version = ?, named = coalesce(?, named) WHERE tenant_id = ? AND key = ?'
      db.run(update, ...used, list, tenant_id, key)
    }
  }
}

/** Nearly always there is a row, and room. False when somebody has to look why not. */
function countOn(db: Connection, { tenant_id, key, add, most }: SlotWrite): boolean {
  const sql = 'UPDATE slot SET counted = counted + ? WHERE tenant_id = ? AND key = ? AND counted <= ?'
  return db.run(sql, add, tenant_id, key, most ?? Number.MAX_SAFE_INTEGER) === 1
}

export function putRefusals(db: Connection, refusals: readonly RefusalWrite[], told: string): void {
  for (const { tenant_id, kind, id, job_id, from, count } of refusals) {
    // One whose history was told without it has a row with no refusals.
    const changes = db.run(
      `INSERT INTO refusal (tenant_id, kind, id, job_id, count, log) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant_id, kind, id) DO UPDATE SET count = excluded.count, log = log || excluded.log WHERE count = ?`,
      tenant_id,
      kind,
      id,
      job_id,
      count,
      told,
      from,
    )
    if (changes !== 1) throw lost(`refusals of ${kind} ${id}`)
  }
}
