// What callers give when they steer jobs, queues and schedules.
import type { Obstacle } from '../core/job/commands.ts'
import type { Rate } from '../core/job/protocol.ts'
import type { CatchUp, Overlap } from '../core/schedule/record.ts'
import type { Envelope } from './request.ts'
import type { CallOptions } from './settings.ts'

export interface ExpediteOptions extends CallOptions {
  readonly priority?: Envelope['priority'] | undefined
  /** What else it is not to wait for: jobs it depends on, limits, a gate, or the attempt that is under way. */
  readonly ignore?: readonly Obstacle[] | undefined
}

export interface AgainOptions extends CallOptions {
  /** The id that the new job gets; a fresh one unless given. */
  readonly new_job_id?: string | undefined
  /** The step to begin with; what the steps before it came to is taken over. From the beginning unless given. */
  readonly from_step?: string | undefined
  /** The same key again answers with the same new job. */
  readonly idempotency_key?: string | undefined
}

export interface QueueLimits {
  /** Most attempts at once, over all tenants; null takes the limit away. */
  readonly concurrency?: number | null | undefined
  /** Most attempts begun within a while, over all tenants; null takes the limit away. */
  readonly rate?: Rate | null | undefined
}

/** A job that is submitted again and again. */
export interface Schedule {
  readonly schedule_id: string
  /** Five fields, six with seconds. */
  readonly cron: string
  /** UTC unless given. */
  readonly timezone?: string | undefined
  /** What is submitted each time: a request without its tenant, ids and times. */
  readonly request: ScheduledRequest
  /** When the job before is still open: submit another one all the same (`allow`, as if none were there), or `skip`. */
  readonly overlap?: Overlap | undefined
  /** Times that passed while nobody was there: `one` job for all of them, `none`, or `all`. */
  readonly catch_up?: CatchUp | undefined
}

export type ScheduledRequest = Omit<
  Envelope,
  'tenant_id' | 'job_id' | 'idempotency_key' | 'depends_on' | 'run_at' | 'delay' | 'expires_at'
>
