// How much happens, told from the history. Nobody counts in the background: a look reads what was added since the look before.
// The first one, or one after too much was added, reads from the newest back, and says from when on its counts are complete.
import {
  ActivityCounts,
  type ActivityName,
  type ActivitySeries,
  activityOf,
  stepsUntil,
} from '../core/activity.ts'
import type { AuditRecord } from '../core/audit.ts'
import { fromEpochSeconds, HOUR_MS, SECOND_MS, toIso } from '../core/time.ts'
import { type Cursor, LARGEST_PAGE } from '../store/query.ts'
import type { Clock } from '../world/clock.ts'
import type { AuditLog } from './audit-log.ts'
import { oneOrAll } from './tenant-to-find.ts'

/** How much happened lately, counted in steps of equal length. */
export interface Activity extends ActivitySeries {
  /** `*` when it is about all of them. */
  readonly tenant_id: string
  readonly from: string
  readonly until: string
  readonly step_seconds: number
  /** What happened before then is not all counted; null when everything is. */
  readonly complete_from: string | null
  /** When each step begins, in epoch seconds. */
  readonly at: readonly number[]
}

/** A step lasts as many seconds as minutes were asked for. */
const STEPS = 60

/** The longest that can be asked for, in minutes. */
export const MOST_MINUTES = 24 * 60
const KEPT_MS = 25 * HOUR_MS

/** Records of the history that one look reads. */
const MOST_READ = 50_000

/** Between two looks little happens. */
const FIRST_PAGE = 100

/** Seconds of tenants that are remembered. */
const MOST_SECONDS = 200_000

export interface ActivityLimits {
  readonly mostRead: number
  readonly mostSeconds: number
}

export class ActivityLog {
  readonly #audit: Pick<AuditLog, 'query'>
  readonly #clock: Clock
  readonly #mostRead: number
  readonly #counts: ActivityCounts
  /** Everything up to here was counted; null before the first look. */
  #seen: Cursor | null = null
  /** Epoch milliseconds. */
  #completeFrom = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(audit: Pick<AuditLog, 'query'>, clock: Clock, limits: Partial<ActivityLimits> = {}) {
    this.#audit = audit
    this.#clock = clock
    this.#mostRead = limits.mostRead ?? MOST_READ
    this.#counts = new ActivityCounts(limits.mostSeconds ?? MOST_SECONDS)
  }

  /** `tenant_id` is `*` for all of them. */
  async look({
    tenant_id,
    minutes,
  }: {
    readonly tenant_id: string
    readonly minutes: number
  }): Promise<Activity> {
    const now = this.#clock.now()
    this.#reading ??= this.#catchUp(now).finally(() => {
      this.#reading = null
    })
    await this.#reading
    const steps = stepsUntil(now, minutes, STEPS)
    const from = (steps.at[0] as number) * SECOND_MS
    return {
      tenant_id,
      from: toIso(from),
      until: toIso(now),
      ...steps,
      complete_from: this.#completeFrom > from ? toIso(this.#completeFrom) : null,
      ...this.#counts.series(oneOrAll(tenant_id), steps),
    }
  }

  async #catchUp(now: number): Promise<void> {
    const oldest = now - KEPT_MS
    const added = this.#seen === null ? null : await this.#readOn(this.#seen)
    const { records, newest, isCut } = added ?? (await this.#readBack(oldest))
    let earliest = now
    for (const [record, name] of records) {
      const at = fromEpochSeconds(record.timestamp)
      if (at < oldest) continue
      earliest = Math.min(earliest, at)
      if (name !== null) this.#counts.add(record, name)
    }
    if (isCut) this.#completeFrom = earliest
    this.#seen = newest ?? this.#seen
    this.#counts.forget(Math.floor(oldest / SECOND_MS))
    const trimmed = this.#counts.trim()
    if (trimmed !== null) this.#completeFrom = Math.max(this.#completeFrom, trimmed * SECOND_MS)
  }

  /** What was added; null when that is more than one look reads. */
  async #readOn(seen: Cursor): Promise<ReadBack | null> {
    const records: Counted[] = []
    for (let after = seen; ; ) {
      const limit = records.length === 0 ? FIRST_PAGE : LARGEST_PAGE
      const { items, next } = await this.#audit.query({ after, limit })
      records.push(...items.map(counted))
      after = items.at(-1)?.cursor ?? after
      if (next === null) return { records, newest: after, isCut: false }
      if (records.length >= this.#mostRead) return null
    }
  }

  /** Nothing is counted before all of it is there: a look that fails half-way would count it twice. */
  async #readBack(oldest: number): Promise<ReadBack> {
    const records: Counted[] = []
    let newest: Cursor | null = null
    let after: Cursor | undefined
    for (;;) {
      const limit = after === undefined ? FIRST_PAGE : LARGEST_PAGE
      const { items, next } = await this.#audit.query({ direction: 'desc', limit, after })
      newest ??= items[0]?.cursor ?? null
      records.push(...items.map(counted))
      // Old logs that were taken over are told with the times that they have: one old record alone says nothing.
      const isOld = items.every((one) => fromEpochSeconds(one.timestamp) < oldest)
      if (next === null || isOld) return { records, newest, isCut: false }
      if (records.length >= this.#mostRead) return { records, newest, isCut: true }
      after = next
    }
  }
}

type Counted = readonly [Pick<AuditRecord, 'tenant_id' | 'timestamp'>, ActivityName | null]

/** As little of it as will do: there may be many. */
function counted(record: AuditRecord): Counted {
  const { tenant_id, timestamp } = record
  return [{ tenant_id, timestamp }, activityOf(record)]
}

interface ReadBack {
  readonly records: readonly Counted[]
  /** Null when the history is empty. */
  readonly newest: Cursor | null
  /** There was more than one look reads. */
  readonly isCut: boolean
}
