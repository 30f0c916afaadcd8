import type { SlotKey } from '../../core/decision.ts'
import { type ChunkSketch, LATE_MS, type SketchSelect } from '../tables/log-parts.ts'
import type { SlotHolder } from '../tables/tables.ts'
import type { Connection } from './connection.ts'
import { stretchOf } from './stretch.ts'

export function tenantsOf(db: Connection): readonly string[] {
  return db
    .all<{ tenant_id: string }>('SELECT DISTINCT tenant_id FROM state_count ORDER BY tenant_id')
    .map(({ tenant_id }) => tenant_id)
}

/** What is signalled is due at once. */
export function nextDue(db: Connection): number | null {
  if (db.get('SELECT 1 FROM owed LIMIT 1') !== undefined) return 0
  return db.get<{ due_at: number }>('SELECT due_at FROM due ORDER BY due_at LIMIT 1')?.due_at ?? null
}

export function pendingSignals(db: Connection): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM owed')?.n ?? 0
}

/** Only open jobs hold anything. */
export function holdersOf(db: Connection, slots: readonly SlotKey[]): readonly SlotHolder[] {
  return slots.flatMap(({ tenant_id, key }) =>
    db
      .all<{ owner: string; holds: string }>(
        `SELECT job_id AS owner, holds FROM job
         WHERE tenant_id = ? AND ended_state IS NULL AND instr(holds, ?) > 0`,
        tenant_id,
        JSON.stringify(key),
      )
      .filter(({ holds }) => (JSON.parse(holds) as readonly string[]).includes(key))
      .map(({ owner }) => ({ tenant_id, key, owner })),
  )
}

/** Of one moment: within a transaction. */
export function sketchesOf(
  db: Connection,
  { from, before, after, limit }: SketchSelect,
): readonly ChunkSketch[] {
  const { start, end } = stretchOf(db, { from, before })
  const sql = (index: string, where: string) =>
    `SELECT first_seq, first_at, last_at, sketch FROM log WHERE first_seq IN (
       SELECT first_seq FROM log INDEXED BY ${index}
       WHERE ${where} AND first_seq >= ? AND first_seq <= ? AND last_at >= ? AND first_at < ?
       ORDER BY first_seq LIMIT ?
     ) ORDER BY first_seq`
  const times = [from ?? Number.NEGATIVE_INFINITY, before ?? Number.POSITIVE_INFINITY]
  const first = Math.max(after + 1, start)
  const found = db.all<ChunkSketch>(sql('log_times', 'true'), first, end, ...times, limit)
  if (before === undefined || found.length >= limit) return found
  const late = sql('log_late', `first_at < reach - ${LATE_MS}`)
  const beyond = [Math.max(first, end + 1), Number.MAX_SAFE_INTEGER]
  return [...found, ...db.all<ChunkSketch>(late, ...beyond, ...times, limit - found.length)]
}
