// How much happens, told from the history. Nobody counts in the background: a look reads what was added since the look before,
// from the newest back to where that one was. When too much was added, it says from when on its counts are complete.
import {
  ActivityCounts,
  type ActivityName,
  type ActivitySeries,
  activityOf,
  stepsUntil,
} from '../core/activity.ts'
import type { AuditRecord } from '../core/audit.ts'
import { fromEpochSeconds, HOUR_MS, SECOND_MS, toIso } from '../core/time.ts'
import { LARGEST_PAGE } from '../store/query.ts'
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
  /** The newest record that was counted; null before the first look. */
  #seen: number | null = null
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
    const { records, newest, isCut } = await this.#readBack(oldest)
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

  /** Nothing is counted before all of it is there: a look that fails half-way would count it twice. */
  async #readBack(oldest: number): Promise<ReadBack> {
    const records: ReadBack['records'][number][] = []
    let newest: number | null = null
    let after: string | undefined
    let read = 0
    for (;;) {
      const limit = after === undefined ? FIRST_PAGE : LARGEST_PAGE
      const { items, next } = await this.#audit.query({ direction: 'desc', limit, after })
      newest ??= items[0]?.seq ?? null
      for (const record of items) {
        if (this.#seen !== null && record.seq <= this.#seen) return { records, newest, isCut: false }
        const { tenant_id, timestamp } = record
        records.push([{ tenant_id, timestamp }, activityOf(record)])
      }
      // Old logs that were taken over are told with the times that they have: one old record alone says nothing.
      const isOld = this.#seen === null && items.every((one) => fromEpochSeconds(one.timestamp) < oldest)
      if (next === null || isOld) return { records, newest, isCut: false }
      read += items.length
      if (read >= this.#mostRead) return { records, newest, isCut: true }
      after = next
    }
  }
}

interface ReadBack {
  readonly records: readonly (readonly [Pick<AuditRecord, 'tenant_id' | 'timestamp'>, ActivityName | null])[]
  /** Null when the history is empty. */
  readonly newest: number | null
  /** There was more than one look reads. */
  readonly isCut: boolean
}
