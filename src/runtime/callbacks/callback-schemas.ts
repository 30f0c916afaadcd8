import { z } from 'zod'
import { idSchema, refSchema } from '../../ledger/envelope.ts'

const LONGEST_REASON = 10_000

/** As services know the fields. Null stands for absent wherever a field may be absent. */
export const attemptSchema = z.strictObject({
  tenant_id: idSchema,
  jobId: idSchema,
  stepId: idSchema,
  attempt_no: z.int().nonnegative(),
  lease_id: idSchema,
  // Services send back what came with the directive; it is in the ledger already.
  correlation_id: z.string().nullish(),
  traceparent: z.string().nullish(),
})

/** Laid over the metadata of the job. */
const metadata = z.record(z.string(), z.unknown()).nullish()

const succeededSchema = attemptSchema.extend({
  status: z.literal('SUCCEEDED'),
  output: z.unknown().optional(),
  output_ref: refSchema.nullish(),
  output_count: z.int().nonnegative().nullish(),
  metadata,
  failure_class: z.null().optional(),
  error: z.null().optional(),
})

const failedSchema = attemptSchema.extend({
  status: z.literal('FAILED'),
  failure_class: z.enum(['RETRYABLE', 'NON_RETRYABLE']),
  error: z.strictObject({
    code: z.string().min(1).max(200),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).nullish(),
  }),
  metadata,
  output: z.null().optional(),
  output_ref: z.null().optional(),
  output_count: z.null().optional(),
})

/** The service stops before it is done, through no fault of the work. */
const releasedSchema = attemptSchema.extend({
  status: z.literal('RELEASED'),
  reason: z.string().max(LONGEST_REASON).nullish(),
})

export const resultSchema = z.discriminatedUnion('status', [succeededSchema, failedSchema, releasedSchema])
