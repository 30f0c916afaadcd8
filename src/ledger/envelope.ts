import { z } from 'zod'
import { durationMs } from '../core/duration.ts'
import { DEPENDENCY_POLICIES, PRIORITIES, type Ref } from '../core/job/record.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { idProblem } from '../core/names.ts'
import { MODES } from '../core/routing.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { MOST_DEPENDENCIES, MOST_TAGS } from './plain-envelope.ts'
import type { Envelope } from './request.ts'

/** An id by the one rule for ids. */
export const idSchema = z.string().superRefine((value, context) => {
  const message = idProblem(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

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

/** An instant with its offset. */
export const timeSchema = z.iso.datetime({ offset: true })

/** By name, or by number: 0 is the most urgent. */
export const prioritySchema = z.union([
  z.enum(PRIORITIES),
  z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
])

/** Milliseconds, or text such as `15m`. */
export const durationSchema = z
  .union([z.string(), z.number().int().nonnegative()])
  .refine((value) => durationMs(value) !== null, 'must be milliseconds, or a time such as 90s, 15m or 1h 30m')

/** A request as it comes in. Null stands for absent in every optional field. */
export const envelopeSchema = z.strictObject({
  tenant_id: idSchema,
  request_type: idSchema,
  input_ref: refSchema,
  output_ref: refSchema,
  payload: z
    .unknown()
    .refine((value) => value !== undefined, 'is missing; {} says that there is nothing to say'),
  schema_version: z.literal('v1'),
  job_id: idSchema.nullish(),
  doc_id: idSchema.nullish(),
  doc_key: idSchema.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  mode: z.enum(MODES).nullish(),
  idempotency_key: idSchema.nullish(),
  correlation_id: z.string().nullish(),
  traceparent: z.string().nullish(),
  callback_urls: z.record(z.string(), z.url()).nullish(),
  priority: prioritySchema.nullish(),
  depends_on: z.array(idSchema).max(MOST_DEPENDENCIES).nullish(),
  on_dependency_failure: z.enum(DEPENDENCY_POLICIES).nullish(),
  run_at: timeSchema.nullish(),
  delay: durationSchema.nullish(),
  expires_at: timeSchema.nullish(),
  run_id: idSchema.nullish(),
  workstream_id: idSchema.nullish(),
  tags: z.array(z.string().min(1)).max(MOST_TAGS).nullish(),
}) satisfies z.ZodType<unknown, Envelope>

/** As it was found sound: the refs and the payload are frozen copies. */
export type ParsedEnvelope = Omit<
  z.output<typeof envelopeSchema>,
  'input_ref' | 'output_ref' | 'payload' | 'metadata'
> & {
  readonly input_ref: Ref
  readonly output_ref: Ref
  readonly payload: Json
  /** The payload as JSON, where it was written to be checked. */
  readonly payloadText?: string
  /** The same in the form in which it is hashed. */
  readonly payloadInOrder?: string | undefined
  readonly metadata?: JsonObject | null | undefined
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
