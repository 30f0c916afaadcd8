import type { AuditEntry } from '../../../core/audit.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { fromEpochSeconds, toIso } from '../../../core/time.ts'

// What a record is when a line says nothing else of it. Writing leaves out what is as it is here, reading fills it in
// again, and both ask the same functions. docs/journal-format.md has the same tables for everybody else.

const NONE: readonly never[] = Object.freeze([])
const NOTHING = Object.freeze({})

const USUAL_JOB = {
  doc_id: null,
  idempotency_key: null,
  current_step_index: 0,
  attempts_total: 0,
  priority: 2,
  depends_on: NONE,
  on_dependency_failure: 'fail',
  run_at: null,
  expires_at: null,
  run_id: null,
  workstream_id: null,
  tags: NONE,
  schema_version: 'v1',
  callback_urls: null,
  correlation_id: null,
  traceparent: null,
  resolved_mode: 'DEFAULT',
  decision_source: 'GLOBAL_CONFIG',
  decision_reason: 'default',
  completed_at: null,
  error_code: null,
  error_message: null,
  waits_for: NONE,
  due_at: null,
  ready: null,
} as const satisfies Partial<JobRecord>

const USUAL_STEP = {
  limits: NONE,
  policy: NOTHING,
  attempt_no: 0,
  lease_id: null,
  lease_expires_at: null,
  holder: null,
  ack_deadline_at: null,
  retry_at: null,
  workspace_ref: null,
  payload: null,
  output: null,
  result_ref: null,
  resolved_mode: null,
  lane: null,
  routing_key_used: null,
  decision_source: null,
  decision_reason: null,
  last_error_code: null,
  last_error_message: null,
  completed_at: null,
} as const satisfies Partial<StepRecord>

const USUAL_ROW = {
  tries: 0,
  taken_until: null,
  next_try_at: null,
  last_error_code: null,
  last_error_message: null,
  sent_at: null,
} as const satisfies Partial<OutboxRecord>

type Part = JobRecord | StepRecord | OutboxRecord

/** What a line says for all its records. */
export interface LineFacts {
  readonly tenant_id: string
  readonly job_id: string
  /** Its timestamp, as records have times. */
  readonly at: string
  readonly etag: string
  readonly entries: readonly AuditEntry[]
}

export function factsOf(entries: readonly [AuditEntry, ...AuditEntry[]], etag: string): LineFacts {
  const { tenant_id, job_id, id, timestamp } = entries[0]
  return { tenant_id, job_id: job_id ?? id, at: toIso(fromEpochSeconds(timestamp)), etag, entries }
}

export function usualJob({ tenant_id, job_id, at, etag, entries }: LineFacts): Partial<JobRecord> {
  return {
    ...USUAL_JOB,
    kind: 'job',
    tenant_id,
    job_id,
    state: (lastState(entries, 'job', '', job_id) ?? 'QUEUED') as JobRecord['state'],
    state_since: at,
    created_at: at,
    updated_at: at,
    routing_key_used: tenant_id,
    etag,
  }
}

/** Where the steps of a new job begin and end, unless told otherwise. */
export interface Refs {
  readonly input_ref?: JobRecord['input_ref'] | undefined
  readonly output_ref?: JobRecord['output_ref'] | undefined
}

interface NewStep {
  readonly step_id: string
  readonly service: string
  /** Its place in the list. */
  readonly index: number
  readonly refs: Refs
}

export function usualStep(
  { tenant_id, job_id, at, etag, entries }: LineFacts,
  { step_id, service, index, refs }: NewStep,
): Partial<StepRecord> {
  return {
    ...USUAL_STEP,
    kind: 'step',
    tenant_id,
    job_id,
    step_index: index,
    queue: service,
    state: (lastState(entries, 'step', step_id, job_id) ?? 'PENDING') as StepRecord['state'],
    state_since: at,
    input_ref: refs.input_ref as StepRecord['input_ref'],
    output_ref: refs.output_ref as StepRecord['output_ref'],
    created_at: at,
    updated_at: at,
    etag,
  }
}

export function usualRow(
  { tenant_id, job_id, at, etag, entries }: LineFacts,
  outbox_id: string,
): Partial<OutboxRecord> {
  return {
    ...USUAL_ROW,
    kind: 'outbox',
    tenant_id,
    job_id,
    state: (lastState(entries, 'outbox', outbox_id, job_id) ?? 'PENDING') as OutboxRecord['state'],
    state_since: at,
    created_at: at,
    updated_at: at,
    etag,
  }
}

/** A record that was there: as it was, in the state that the history of the line says. `id` is its id within the job. */
export function usualAfter<P extends Part>(
  { at, etag, entries, job_id }: LineFacts,
  before: P,
  id: string,
): P {
  const state = lastState(entries, before.kind, id, job_id)
  return state === null
    ? { ...before, updated_at: at, etag }
    : { ...before, state, state_since: at, updated_at: at, etag }
}

/** The last state that a record entered; null when the line does not say that it moved. */
function lastState(
  entries: readonly AuditEntry[],
  kind: Part['kind'],
  id: string,
  job_id: string,
): string | null {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as AuditEntry
    if (entry.kind !== kind || entry.event !== 'moved') continue
    const isIts = kind === 'step' ? isStepKey(entry.id, job_id, id) : kind === 'job' || entry.id === id
    if (isIts) return entry.path[entry.path.length - 1] as string
  }
  return null
}

/** Whether an id is that of a step of a job. Ids are not put together for it: that is done for every step written. */
export function isStepKey(id: string, job_id: string, step_id: string): boolean {
  return (
    id.length === job_id.length + 1 + step_id.length &&
    id.startsWith(job_id) &&
    id.charCodeAt(job_id.length) === SLASH &&
    id.endsWith(step_id)
  )
}

const SLASH = 0x2f

/** Whether a field need not be written: it is what it would be anyway. */
export function isUsual(value: unknown, usual: unknown): boolean {
  return (
    value === usual || (isEmpty(value) && isEmpty(usual) && Array.isArray(value) === Array.isArray(usual))
  )
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
