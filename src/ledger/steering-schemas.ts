// How it is checked what callers give when they steer jobs, queues and schedules.
import { z } from 'zod'
import { idSchema, inputErrorOf, prioritySchema } from './envelope.ts'
import type { ExpediteOptions, QueueLimits } from './steering.ts'

export const expediteSchema = z.strictObject({
  priority: prioritySchema.optional(),
  ignore: z.array(z.enum(['dependencies', 'limits', 'attempt', 'gate'])).optional(),
}) satisfies z.ZodType<unknown, ExpediteOptions>

/** Most places a limit may have: engines remember who holds each. */
const MOST_PLACES = 1_000_000

export const places = z.number().int().positive().max(MOST_PLACES)

const rateSchema = z.strictObject({ max: places, per_ms: z.number().int().positive() })

export const queueLimitsSchema = z.strictObject({
  concurrency: places.nullish(),
  rate: rateSchema.nullish(),
}) satisfies z.ZodType<unknown, QueueLimits>

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
