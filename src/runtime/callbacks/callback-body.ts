import type { z } from 'zod'
import type { CallbackName } from '../../core/job/callback-urls.ts'
import type { StepResult } from '../../core/job/commands.ts'
import type { Json } from '../../core/json.ts'
import type { InvalidInput } from '../../errors/input-errors.ts'
import { BadMessage } from '../../errors/message-errors.ts'
import type { Attempt } from '../../ledger/command-options.ts'
import { inputErrorOf } from '../../ledger/envelope.ts'
import { parseJson } from '../../wire/parse-json.ts'
import type { Callback, Released } from './callback.ts'
import { attemptSchema, resultSchema } from './callback-schemas.ts'

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
