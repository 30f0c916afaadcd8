import { DEPENDENCY_POLICIES, PRIORITIES } from '../core/job/record.ts'
import { idProblem } from '../core/names.ts'
import { MODES } from '../core/routing.ts'
import type { ParsedEnvelope } from './envelope.ts'
import { writtenCopy } from './frozen-copy.ts'

// Nearly every request is as simple as this, and being checked by the schema takes ten times as long. What is not plainly
// sound is left to the schema, which then says what is wrong with it, if anything is. A test compares the two.

const KNOWN_MODES: readonly unknown[] = MODES
const KNOWN_PRIORITIES: readonly unknown[] = [...PRIORITIES, ...PRIORITIES.keys()]
const KNOWN_POLICIES: readonly unknown[] = DEPENDENCY_POLICIES

/** Most of these that a request may name. */
export const MOST_DEPENDENCIES = 1000
export const MOST_TAGS = 100

const FIELDS = {
  tenant_id: isId,
  request_type: isId,
  input_ref: isText,
  output_ref: isText,
  payload: (value) => value !== undefined,
  schema_version: (value) => value === 'v1',
  job_id: isOptionalId,
  doc_id: isOptionalId,
  doc_key: isOptionalId,
  metadata: isAbsent,
  mode: (value) => value == null || KNOWN_MODES.includes(value),
  idempotency_key: isOptionalId,
  correlation_id: isOptionalString,
  traceparent: isOptionalString,
  callback_urls: isAbsent,
  priority: (value) => value == null || KNOWN_PRIORITIES.includes(value),
  depends_on: (value) => value == null || isListOf(isId, MOST_DEPENDENCIES, value),
  on_dependency_failure: (value) => value == null || KNOWN_POLICIES.includes(value),
  run_at: isAbsent,
  delay: isAbsent,
  expires_at: isAbsent,
  run_id: isOptionalId,
  workstream_id: isOptionalId,
  tags: (value) => value == null || isListOf(isText, MOST_TAGS, value),
} satisfies {
  readonly [F in keyof Omit<ParsedEnvelope, 'payloadText' | 'payloadInOrder'>]-?: (value: unknown) => boolean
}

const KNOWN: ReadonlyMap<string, (value: unknown) => boolean> = new Map(Object.entries(FIELDS))
const REQUIRED = [
  'tenant_id',
  'request_type',
  'input_ref',
  'output_ref',
  'payload',
  'schema_version',
] as const

/** The request, if it is plainly sound; else null. */
export function plainEnvelope(envelope: unknown): ParsedEnvelope | null {
  if (typeof envelope !== 'object' || envelope === null) return null
  if (Object.getPrototypeOf(envelope) !== Object.prototype) return null
  return shortEnvelope(envelope as Partial<ParsedEnvelope>) ?? longEnvelope(envelope)
}

/** One that says what it has to, and nothing else. */
function shortEnvelope(envelope: Partial<ParsedEnvelope>): ParsedEnvelope | null {
  let fields = 0
  for (const _ in envelope) fields++
  if (fields !== REQUIRED.length) return null
  // Each is looked at once.
  const { tenant_id, request_type, input_ref, output_ref, payload, schema_version } = envelope
  if (!isId(tenant_id) || !isId(request_type) || !isText(input_ref) || !isText(output_ref)) return null
  const written = schema_version === 'v1' ? writtenCopy(payload) : undefined
  if (written === undefined) return null
  const { copy, text: payloadText, inOrder: payloadInOrder } = written
  return {
    tenant_id,
    request_type,
    input_ref,
    output_ref,
    payload: copy,
    schema_version,
    payloadText,
    payloadInOrder,
  } as ParsedEnvelope
}

function longEnvelope(envelope: object): ParsedEnvelope | null {
  // Copies: what it says is looked at once, and holes in a list are values that are missing.
  const copy: { [field: string]: unknown } = { ...envelope }
  if (Array.isArray(copy.depends_on)) copy.depends_on = [...copy.depends_on]
  if (Array.isArray(copy.tags)) copy.tags = [...copy.tags]
  for (const field in copy) {
    const isSound = KNOWN.get(field)
    if (isSound === undefined || !isSound(copy[field])) return null
  }
  for (const field of REQUIRED) if (copy[field] === undefined) return null
  const written = writtenCopy(copy.payload)
  if (written === undefined) return null
  copy.payload = written.copy
  copy.payloadText = written.text
  copy.payloadInOrder = written.inOrder
  return copy as ParsedEnvelope
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && idProblem(value) === null
}

function isOptionalId(value: unknown): boolean {
  return value == null || isId(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isOptionalString(value: unknown): boolean {
  return value == null || typeof value === 'string'
}

function isAbsent(value: unknown): boolean {
  return value == null
}

function isListOf(is: (value: unknown) => boolean, most: number, value: unknown): boolean {
  return Array.isArray(value) && value.length <= most && value.every(is)
}
