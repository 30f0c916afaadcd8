import { z } from 'zod'
import type { JsonObject } from '../core/json.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { frozenJson, LONGEST_ID } from './check-input.ts'

const id = z
  .string()
  .min(1)
  .max(LONGEST_ID)
  .refine((value) => value.trim() !== '', 'must not be blank')

export const refSchema = z.union([
  z.string().min(1),
  z.strictObject({
    uri: z.string().min(1),
    checksum: z.string().optional(),
    size_bytes: z.number().int().nonnegative().optional(),
    content_type: z.string().optional(),
    metadata: z.record(z.string(), z.json()).optional(),
  }),
])

const time = z.iso.datetime({ offset: true })

/** By name, or by number: 0 is the most urgent. */
const priority = z.union([
  z.enum(['critical', 'high', 'normal', 'low']),
  z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
])

/** A request as it comes in. Null stands for absent in every optional field. */
const envelopeSchema = z.strictObject({
  tenant_id: id,
  request_type: id,
  input_ref: refSchema,
  output_ref: refSchema,
  payload: z
    .unknown()
    .refine((value) => value !== undefined, 'is missing; {} says that there is nothing to say'),
  schema_version: z.literal('v1'),
  job_id: id.nullish(),
  doc_id: id.nullish(),
  mode: z.enum(['DEFAULT', 'BURST']).nullish(),
  idempotency_key: id.nullish(),
  correlation_id: z.string().nullish(),
  traceparent: z.string().nullish(),
  callback_urls: z.record(z.string(), z.url()).nullish(),
  priority: priority.nullish(),
  depends_on: z.array(id).max(1000).nullish(),
  on_dependency_failure: z.enum(['fail', 'skip', 'release']).nullish(),
  run_at: time.nullish(),
  delay_ms: z.number().int().nonnegative().nullish(),
  expires_at: time.nullish(),
  run_id: id.nullish(),
  workstream_id: id.nullish(),
  tags: z.array(z.string().min(1)).max(100).nullish(),
})

export type Envelope = z.input<typeof envelopeSchema>
export type ParsedEnvelope = z.output<typeof envelopeSchema>

export function parseEnvelope(envelope: unknown): ParsedEnvelope {
  const parsed = envelopeSchema.safeParse(envelope)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  return { ...parsed.data, payload: frozenJson('payload', parsed.data.payload) }
}

/** The first thing that is wrong, by its path; the others are in the details. */
export function inputErrorOf(error: z.ZodError): InvalidInput {
  const problems: JsonObject[] = error.issues.map((issue) => ({
    field: fieldOf(issue),
    message: issue.message,
  }))
  const first = error.issues[0] as z.core.$ZodIssue
  const field = fieldOf(first)
  return new InvalidInput(
    field,
    `${field}: ${first.message}`,
    problems.length === 1
      ? 'Correct this field.'
      : `Correct this and ${problems.length - 1} more, see details.`,
    { problems },
  )
}

function fieldOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return issue.keys[0] ?? ''
  return issue.path.map(String).join('.')
}
