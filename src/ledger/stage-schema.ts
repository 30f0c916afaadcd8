import { z } from 'zod'
import type { Gate } from '../core/pipeline/gate.ts'
import { DEEPEST_CONDITION, gateProblems } from '../core/pipeline/gate-problems.ts'
import { documentProblems, type StageDocument } from '../core/pipeline/stage-document.ts'
import type { Problem } from '../core/pipeline/topology-problem.ts'
import { idSchema } from './envelope.ts'

// What a step of a protocol says when it is a stage of a pipeline. Its shape is checked here; what it means, by the rules
// that topologies are checked by.

const ms = z.number().int().positive()

const condition = z.unknown().refine((value) => isCondition(value, 0), {
  message: `must be { all: […] }, { any: […] } or { field, op, value }, nested ${DEEPEST_CONDITION} deep at most`,
  abort: true,
})

const gate = z
  .strictObject({ name: idSchema, when: condition, timeout_ms: ms.optional(), resume: idSchema.optional() })
  .superRefine((value, context) => report(gateProblems(value as Gate, []), context))

const document = z
  .strictObject({
    enters: z.string().optional(),
    leaves: z.string().optional(),
    fails: z.string().optional(),
  })
  .superRefine((value, context) => report(documentProblems(value as StageDocument, []), context))

export const stageFields = {
  gate: gate.optional(),
  document: document.optional(),
  breaker: z.strictObject({ failures: z.number().int().positive(), recovery_ms: ms }).optional(),
}

function isCondition(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST_CONDITION) return false
  const { all, any, field, op, value: _, ...others } = value as { readonly [key: string]: unknown }
  if (Object.keys(others).length > 0) return false
  if (all === undefined && any === undefined) return typeof field === 'string' && typeof op === 'string'
  const parts = all ?? any
  return (
    Array.isArray(parts) &&
    Object.keys(value).length === 1 &&
    parts.every((part) => isCondition(part, depth + 1))
  )
}

function report(problems: readonly Problem[], context: z.RefinementCtx): void {
  for (const { message, path } of problems) context.addIssue({ code: 'custom', message, path: [...path] })
}
