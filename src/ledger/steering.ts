// What callers give when they steer jobs, queues and schedules, and how it is checked.
import { z } from 'zod'
import type { Obstacle } from '../core/job/commands.ts'
import type { Rate } from '../core/job/protocol.ts'
import type { CatchUp, Overlap } from '../core/schedule/record.ts'
import { type Envelope, idSchema, inputErrorOf, prioritySchema } from './envelope.ts'
import type { CallOptions } from './settings.ts'

export interface ExpediteOptions extends CallOptions {
  readonly priority?: Envelope['priority'] | undefined
  /** What else it is not to wait for: jobs it depends on, limits, a gate, or the attempt that is under way. */
  readonly ignore?: readonly Obstacle[] | undefined
}

export const expediteSchema = z.strictObject({
  priority: prioritySchema.optional(),
  ignore: z.array(z.enum(['dependencies', 'limits', 'attempt', 'gate'])).optional(),
})

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

/** Most places a limit may have: engines remember who holds each. */
const MOST_PLACES = 1_000_000

export const places = z.number().int().positive().max(MOST_PLACES)

const rateSchema = z.strictObject({ max: places, per_ms: z.number().int().positive() })

export const queueLimitsSchema = z.strictObject({
  concurrency: places.nullish(),
  rate: rateSchema.nullish(),
})

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

const LONGEST_CRON = 200

export const scheduleSchema = z.strictObject({
  schedule_id: idSchema,
  cron: z.string().min(1).max(LONGEST_CRON),
  timezone: z.string().min(1).max(LONGEST_CRON).default('UTC'),
  request: z
    .record(z.string(), z.unknown())
    .refine((request) => !NOT_SCHEDULED.some((field) => field in request), {
      message: 'must not name its tenant, id, idempotency key, dependencies or times: each job gets its own',
    }),
  overlap: z.enum(['allow', 'skip']).default('allow'),
  catch_up: z.enum(['one', 'none', 'all']).default('one'),
})

const NOT_SCHEDULED = [
  'tenant_id',
  'job_id',
  'idempotency_key',
  'depends_on',
  'run_at',
  'delay',
  'expires_at',
]

export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (!result.success) throw inputErrorOf(result.error)
  return result.data
}
