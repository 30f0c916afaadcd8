import { z } from 'zod'
import type { StepError, StepResult } from '../core/job/commands.ts'
import type { Ref } from '../core/job/record.ts'
import { frozenJson, frozenObject } from './check-input.ts'
import { inputErrorOf, refSchema } from './envelope.ts'

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
  }),
  z.strictObject({
    status: z.literal('FAILED'),
    failure_class: z.enum(['RETRYABLE', 'NON_RETRYABLE']),
    error: errorSchema,
  }),
])

export function parseResult(result: StepResult): StepResult {
  const parsed = resultSchema.safeParse(result)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  if (result.status === 'FAILED') return { ...result, error: withDetails(result.error) }
  const { output_ref } = parsed.data as { output_ref?: Ref }
  return {
    status: result.status,
    output: frozenJson('output', result.output ?? null),
    ...(output_ref === undefined ? null : { output_ref: frozenJson('output_ref', output_ref) as Ref }),
  }
}

export function parseStepError(error: StepError): StepError {
  const parsed = errorSchema.safeParse(error)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  return withDetails(error)
}

function withDetails({ code, message, details }: StepError): StepError {
  if (details === undefined) return { code, message }
  return { code, message, details: frozenObject('error.details', details) }
}
