import type { JsonObject } from '../json.ts'
import type { ScheduleState } from '../machines/schedule.ts'

/** What happens when its time comes while the job before is still open: another one beside it, or none. */
export type Overlap = 'allow' | 'skip'

/** What happens to times that passed while nobody was there: one job for all of them, none, or one for each. */
export type CatchUp = 'one' | 'none' | 'all'

/** Submits a job whenever its time comes. */
export interface ScheduleRecord {
  readonly kind: 'schedule'
  readonly tenant_id: string
  readonly schedule_id: string
  readonly state: ScheduleState
  readonly state_since: string
  /** Five fields, six with seconds, as cron has them. */
  readonly cron: string
  /** An IANA name such as `Europe/Berlin`. */
  readonly timezone: string
  /** The request that it submits each time. */
  readonly request: JsonObject
  readonly overlap: Overlap
  readonly catch_up: CatchUp
  /** When it is next to submit; null when it never will. */
  readonly next_at: string | null
  /** It was refused at `next_at`, and is tried again then. */
  readonly retry_at: string | null
  readonly last_at: string | null
  readonly last_job_id: string | null
  readonly last_error_code: string | null
  readonly last_error_message: string | null
  readonly created_at: string
  readonly updated_at: string
  etag: string
}

/** When it has something to do; null when it has nothing. */
export function scheduleDueAt({ state, next_at, retry_at }: ScheduleRecord): string | null {
  return state === 'active' ? (retry_at ?? next_at) : null
}
