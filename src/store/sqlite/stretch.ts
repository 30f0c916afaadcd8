import { LATE_MS } from '../tables/log-parts.ts'
import type { Connection } from './connection.ts'

/** The places of the log among which all parts of a time begin, but for those that are late. Both are included. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

interface Times {
  readonly from: number | undefined
  readonly before: number | undefined
}

export function stretchOf(db: Connection, { from, before }: Times): Stretch {
  const first = 'SELECT first_seq FROM log WHERE reach >= ? ORDER BY reach, first_seq LIMIT 1'
  const last = 'SELECT first_seq FROM log WHERE reach < ? ORDER BY reach DESC, first_seq DESC LIMIT 1'
  const at = (sql: string, ms: number) => db.get<{ first_seq: number }>(sql, ms)?.first_seq
  return {
    start: from === undefined ? 0 : (at(first, from) ?? Number.MAX_SAFE_INTEGER),
    end: before === undefined ? Number.MAX_SAFE_INTEGER : (at(last, before + LATE_MS) ?? 0),
  }
}
