import type { CountEntry } from '../live/state-counts.ts'
import type { NewChunk } from '../tables/log-parts.ts'
import type { CountsUpTo } from '../tables/tail/tail.ts'
import type { Connection } from './connection.ts'
import { foldedOf } from './tail.ts'

export function putInLog(db: Connection, first_seq: number, chunk: NewChunk): void {
  const { places, first_at, last_at, sketch, entries, tags } = chunk
  db.run(
    'INSERT INTO log (first_seq, places, first_at, last_at, reach, sketch, entries) VALUES (?, ?, ?, ?, ?, ?, ?)',
    first_seq,
    places,
    first_at,
    last_at,
    Math.max(last_at, reachOf(db)),
    sketch,
    entries,
  )
  const add = db.prepare('INSERT OR IGNORE INTO log_tag (tag, first_seq) VALUES (?, ?)')
  for (const tag of tags) add.run(tag, first_seq)
}

/** The latest time that the log tells of. */
function reachOf(db: Connection): number {
  return db.get<{ reach: number }>('SELECT reach FROM log ORDER BY first_seq DESC LIMIT 1')?.reach ?? 0
}

export function count(db: Connection, counts: readonly CountEntry[]): void {
  const add = db.prepare(
    `INSERT INTO state_count (tenant_id, kind, state, n) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = n + excluded.n`,
  )
  for (const { tenant_id, kind, state, n } of counts) add.run(tenant_id, kind, state, n)
}

/** Of one moment: within a transaction. */
export function countsUpTo(db: Connection): CountsUpTo {
  return { seq: foldedOf(db).seq, counts: countsOf(db) }
}

export function countsOf(db: Connection): readonly CountEntry[] {
  return db.all<CountEntry>('SELECT tenant_id, kind, state, n FROM state_count WHERE n <> 0')
}
