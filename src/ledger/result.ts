import { z } from 'zod'
import type { StepError, StepResult } from '../core/job/commands.ts'
import { checkJson } from './check-input.ts'
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
  if (result.status === 'SUCCEEDED') checkJson('output', result.output ?? null)
  else checkJson('error.details', result.error.details ?? null)
  return result
}

export function parseStepError(error: StepError): StepError {
  const parsed = errorSchema.safeParse(error)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  checkJson('error.details', error.details ?? null)
  return error
}
