import { z } from 'zod'
import type { StepError, StepResult } from '../core/job/commands.ts'
import type { Ref } from '../core/job/record.ts'
import { frozenJson } from './check-input.ts'
import { inputErrorOf, refSchema } from './envelope.ts'
import { keptMetadata } from './kept-metadata.ts'
import type { Redact } from './redact.ts'

const errorSchema = z.strictObject({
  code: z.string().min(1).max(200),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})

const resultSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('SUCCEEDED'),
    output: z.unknown().optional(),
    output_ref: refSchema.optional(),
    output_count: z.number().int().nonnegative().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({
    status: z.literal('FAILED'),
    failure_class: z.enum(['RETRYABLE', 'NON_RETRYABLE']),
    error: errorSchema,
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
])

/** By the schema, which knows all that is allowed and says what is not. */
export function checkedResult(result: StepResult, redact: Redact): StepResult {
  const parsed = resultSchema.safeParse(result)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  const metadata = result.metadata === undefined ? null : { metadata: keptMetadata(result.metadata, redact) }
  if (result.status === 'FAILED') return { ...result, ...metadata, error: kept(result.error, redact) }
  const { output_ref } = parsed.data as { output_ref?: Ref }
  const { output_count } = result
  return {
    status: result.status,
    output: frozenJson('output', result.output ?? null),
    ...(output_ref === undefined ? null : { output_ref: frozenJson('output_ref', output_ref) as Ref }),
    ...(output_count === undefined ? null : { output_count }),
    ...metadata,
  }
}

export function parseStepError(error: StepError, redact: Redact): StepError {
  const parsed = errorSchema.safeParse(error)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  return kept(error, redact)
}

/** Without secrets: it is kept for as long as the history is. */
function kept({ code, message, details }: StepError, redact: Redact): StepError {
  const error = { code, message: redact(message) }
  if (details === undefined) return error
  return { ...error, details: keptMetadata(details, redact, 'error.details') }
}
