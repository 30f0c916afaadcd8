import { z } from 'zod'
import type { CallbackName } from '../../core/job/callback-urls.ts'
import type { StepResult } from '../../core/job/commands.ts'
import type { Json } from '../../core/json.ts'
import type { InvalidInput } from '../../errors/input-errors.ts'
import { BadMessage } from '../../errors/message-errors.ts'
import type { Attempt } from '../../ledger/command-options.ts'
import { idSchema, inputErrorOf, refSchema } from '../../ledger/envelope.ts'
import { parseJson } from '../../wire/parse-json.ts'
import type { Callback, Released } from './callback.ts'

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

/** Throws `BadMessage`, which names the field, for whatever is not such a callback. */
export function parseCallback(name: CallbackName, bytes: Uint8Array): Callback {
  return callbackOf(name, parseJson(bytes))
}

export function callbackOf(name: CallbackName, json: Json): Callback {
  if (name !== 'result') return { attempt: attemptOf(checked(attemptSchema, json)), result: null }
  const body = checked(resultSchema, json)
  return { attempt: attemptOf(body), result: resultOf(body) }
}

function checked<S extends z.ZodType>(schema: S, json: Json): z.output<S> {
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw badMessageOf(inputErrorOf(parsed.error))
}

function attemptOf({
  tenant_id,
  jobId,
  stepId,
  attempt_no,
  lease_id,
}: z.output<typeof attemptSchema>): Attempt {
  return { tenant_id, job_id: jobId, step_id: stepId, attempt_no, lease_id }
}

/** What is stored is checked once more by the ledger: this is only its shape. */
function resultOf(body: z.output<typeof resultSchema>): StepResult | Released {
  if (body.status === 'RELEASED') return { status: body.status, reason: body.reason ?? undefined }
  if (body.status === 'FAILED') {
    const { details, ...error } = body.error
    const { status, failure_class } = body
    const whole = details === undefined || details === null ? error : { ...error, details }
    return { status, failure_class, error: whole, ...given({ metadata: body.metadata }) } as StepResult
  }
  const { status, output = null, output_ref, output_count, metadata } = body
  return { status, output, ...given({ output_ref, output_count, metadata }) } as StepResult
}

/** Those that are there. */
function given(fields: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )
}

/** Missing and wrong fields of a callback are answered with 400, also those that only the ledger finds. */
export function badMessageOf({ field, message, next, details }: InvalidInput): BadMessage {
  return new BadMessage({ field: field === '' ? undefined : field, message, next, details })
}
