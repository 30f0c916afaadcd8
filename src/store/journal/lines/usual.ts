import type { AuditEntry } from '../../../core/audit.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { outboxMachine } from '../../../core/machines/outbox.ts'
import { stepMachine } from '../../../core/machines/step.ts'
import { fromEpochSeconds, toIso } from '../../../core/time.ts'

// What a record is when a line says nothing else of it. Writing leaves out what is as it is here, reading fills it in
// again, and both ask the same functions. docs/journal-format.md has the same tables for everybody else.

const NONE: readonly never[] = Object.freeze([])
const NOTHING = Object.freeze({})

export const USUAL_JOB = {
  doc_id: null,
  idempotency_key: null,
  current_step_index: 0,
  attempts_total: 0,
  priority: 2,
  depends_on: NONE,
  on_dependency_failure: 'fail',
  run_at: null,
  expires_at: null,
  again_of: null,
  schedule_id: null,
  unlimited: false,
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

export const USUAL_STEP = {
  limits: NONE,
  policy: NOTHING,
  attempt_no: 0,
  released: 0,
  lease_id: null,
  lease_expires_at: null,
  holder: null,
  queue_slot: false,
  ack_deadline_at: null,
  retry_at: null,
  workspace_ref: null,
  payload: null,
  output: null,
  output_file: null,
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

export const USUAL_ROW = {
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

type Mutable<T> = { -readonly [F in keyof T]?: T[F] }

/** Makes of a record with the fields of `USUAL_JOB` what a new job usually is. */
export function usualJob<T extends Mutable<JobRecord>>(job: T, facts: LineFacts): T {
  tellPart(job, 'job', facts)
  job.state = (lastState(facts, 'job', '') ?? jobMachine.initial) as JobRecord['state']
  job.routing_key_used = facts.tenant_id
  return job
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

/** The same of a step, from `USUAL_STEP`. */
export function usualStep<T extends Mutable<StepRecord>>(
  step: T,
  facts: LineFacts,
  { step_id, service, index, refs }: NewStep,
): T {
  tellPart(step, 'step', facts)
  step.step_index = index
  step.queue = service
  step.state = (lastState(facts, 'step', step_id) ?? stepMachine.initial) as StepRecord['state']
  step.input_ref = refs.input_ref as StepRecord['input_ref']
  step.output_ref = refs.output_ref as StepRecord['output_ref']
  return step
}

/** The same of an outbox row, from `USUAL_ROW`. */
export function usualRow<T extends Mutable<OutboxRecord>>(row: T, facts: LineFacts, outbox_id: string): T {
  tellPart(row, 'outbox', facts)
  row.state = (lastState(facts, 'outbox', outbox_id) ?? outboxMachine.initial) as OutboxRecord['state']
  return row
}

/** What all records of a line that are new have in common. */
function tellPart(part: Mutable<Part>, kind: Part['kind'], { tenant_id, job_id, at, etag }: LineFacts): void {
  part.kind = kind
  part.tenant_id = tenant_id
  part.job_id = job_id
  part.state_since = at
  part.created_at = at
  part.updated_at = at
  part.etag = etag
}

/** A record that was there: as it was, in the state that the history of the line says. `id` is its id within the job. */
export function usualAfter<P extends Part>(before: P, facts: LineFacts, id: string): P {
  const { at, etag } = facts
  const state = lastState(facts, before.kind, id)
  return state === null
    ? { ...before, updated_at: at, etag }
    : { ...before, state, state_since: at, updated_at: at, etag }
}

/** The last state that a record entered; null when the line does not say that it moved. */
function lastState({ entries, job_id }: LineFacts, kind: Part['kind'], id: string): string | null {
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
