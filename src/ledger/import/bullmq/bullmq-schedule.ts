// Job schedulers of BullMQ, and the repeatable jobs that came before them.
import { isJsonObject } from '../../../core/json.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { OldSchedule } from '../old-record.ts'
import { backoffOf, jsonOf, numberOf } from './bullmq-job.ts'
import type { Hash } from './redis-reader.ts'

interface Facts {
  /** What the database is called in keys. */
  readonly source: string
  readonly queue: string
}

export function scheduleOf(id: string, hash: Hash, { source, queue }: Facts): OldSchedule {
  const { pattern, every, tz, endDate, limit, startDate } = hash
  const given = jsonOf(hash.opts)
  const options = isJsonObject(given) ? given : {}
  const cron = pattern ?? (every === undefined ? null : cronEvery(Number(every)))
  return {
    kind: 'schedule',
    state: 'schedule',
    id,
    key: `bullmq:${source}:${queue}:${id}`,
    queue,
    name: hash.name === undefined || hash.name.trim() === '' ? queue : hash.name,
    payload: (hash.data === undefined ? {} : jsonOf(hash.data)) ?? {},
    priority: numberOf(options.priority) > 0 ? 'low' : 'normal',
    max_attempts: Math.max(1, numberOf(options.attempts)),
    backoff: backoffOf(options.backoff),
    timeout_ms: null,
    limits: [],
    differences: [
      ...(endDate === undefined && limit === undefined
        ? []
        : ['it has no end here (endDate, limit): waybill schedule remove ends it']),
      ...(startDate === undefined ? [] : ['it begins at once (startDate)']),
      ...(pattern !== undefined && tz === undefined ? ['it names no time zone: here that is UTC'] : []),
      ...(pattern === undefined
        ? ['its times are those of the clock: every minute is at the full minute']
        : []),
    ],
    problem: cron === null ? problemOf(every) : null,
    cron: cron ?? '',
    timezone: tz ?? 'UTC',
    catch_up: 'one',
  }
}

function problemOf(every: string | undefined): string {
  if (every === undefined) return 'it says nothing of its times: BullMQ before version 5 made it'
  return `no cron expression says every ${every} ms: put a schedule of your own beside it`
}

/** Six fields, with seconds; null for what divides no minute, hour, day or year evenly. */
function cronEvery(ms: number): string | null {
  for (const [unit, most, expression] of EVERY) {
    const n = ms / unit
    if (Number.isInteger(n) && n >= 1 && most % n === 0) return expression(n)
  }
  return null
}

const EVERY: readonly (readonly [unitMs: number, most: number, cron: (n: number) => string])[] = [
  [24 * HOUR_MS, 1, () => '0 0 * * *'],
  [HOUR_MS, 24, (n) => `0 ${n === 1 ? '*' : `*/${n}`} * * *`],
  [MINUTE_MS, 60, (n) => `${n === 1 ? '*' : `*/${n}`} * * * *`],
  [SECOND_MS, 60, (n) => `${n === 1 ? '*' : `*/${n}`} * * * * *`],
]
