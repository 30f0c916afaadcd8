import { z } from 'zod'
import { IN_FLIGHT, RATE_SLOT } from '../core/job/limits.ts'
import type { Protocol } from '../core/job/protocol.ts'
import { QUEUE_LIMIT } from '../core/queue/record.ts'
import { frozenJson } from './check-input.ts'
import { idSchema, inputErrorOf } from './envelope.ts'
import { MOST_STEPS } from './plain-protocol.ts'
import { stageFields } from './stage-schema.ts'
import { places } from './steering-schemas.ts'

/** Limits, the limits of queues and the count of open jobs share the same slots. */
const limitKey = idSchema
  .refine((key) => key !== IN_FLIGHT, 'is reserved for the count of open jobs')
  .refine((key) => !key.startsWith(QUEUE_LIMIT), `must not begin with ${QUEUE_LIMIT}, as limits of queues do`)
  .refine((key) => !key.startsWith(RATE_SLOT), `must not begin with ${RATE_SLOT}, as starts are counted`)
const ms = z.number().int().positive()
const backoff = z.union([
  z.object({ kind: z.literal('list'), delaysMs: z.array(z.number().int().nonnegative()).min(1) }),
  z.object({
    kind: z.enum(['none', 'linear', 'exponential', 'fibonacci']),
    baseMs: z.number().int().nonnegative(),
    capMs: z.number().int().nonnegative(),
    jitter: z.number().min(0).max(1).optional(),
  }),
])

/** Limits that one step may have. */
const MOST_LIMITS = 20

const protocolSchema = z.strictObject({
  protocol_id: idSchema,
  request_type: idSchema,
  pipeline: z.strictObject({ name: idSchema, version: idSchema }).optional(),
  steps: z
    .array(
      z.strictObject({
        // A step's id across the ledger is `job/step`.
        step_id: idSchema.regex(/^[^/]+$/, 'must not contain a slash'),
        step_type: idSchema,
        service: idSchema,
        delivery: z.enum(['push', 'pull', 'external']),
        queue: idSchema.optional(),
        limits: z
          .array(z.strictObject({ key: limitKey, max: places, per_ms: ms.optional() }))
          .max(MOST_LIMITS)
          .optional(),
        ...stageFields,
        payload_schema: z.record(z.string(), z.unknown()).optional(),
        policy: z
          .strictObject({
            max_attempts: z.number().int().positive().max(100).optional(),
            ack_timeout_ms: ms.optional(),
            lease_ms: ms.optional(),
            timeout_ms: ms.optional(),
            backoff: backoff.optional(),
            publish_tries: z.number().int().positive().max(100).optional(),
            publish_timeout_ms: ms.optional(),
            publish_backoff: backoff.optional(),
          })
          .optional(),
      }),
    )
    .min(1)
    .max(MOST_STEPS),
})

/** By the schema. Jobs carry parts of it: what the caller does with its own copy later must not reach them. */
export function checkedProtocol(protocol: unknown): Protocol {
  const parsed = protocolSchema.safeParse(protocol, { jitless: true })
  if (!parsed.success) throw inputErrorOf(parsed.error)
  return frozenJson('protocol', parsed.data) as unknown as Protocol
}
