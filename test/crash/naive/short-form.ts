import { entriesOf, type Json, type JsonObject, statesOf } from './delta-file.ts'

const NULL_IN_JOB = [
  'doc_id',
  'idempotency_key',
  'run_at',
  'expires_at',
  'again_of',
  'schedule_id',
  'pipeline_name',
  'doc_key',
  'report_by',
  'escalation',
  'run_id',
  'workstream_id',
  'callback_urls',
  'correlation_id',
  'traceparent',
  'completed_at',
  'error_code',
  'error_message',
  'due_at',
  'ready',
]

const NULL_IN_STEP = [
  'gate',
  'document',
  'lease_id',
  'lease_expires_at',
  'holder',
  'ack_deadline_at',
  'retry_at',
  'workspace_ref',
  'payload',
  'output',
  'output_file',
  'result_ref',
  'resolved_mode',
  'lane',
  'routing_key_used',
  'decision_source',
  'decision_reason',
  'last_error_code',
  'last_error_message',
  'completed_at',
]

const NULL_IN_ROW = ['taken_until', 'next_try_at', 'last_error_code', 'last_error_message', 'sent_at']

/** Claims, slots and signals belong to the tenant and the job of the line, unless they say otherwise. */
export function devices(line: JsonObject, list: Json | undefined): readonly JsonObject[] {
  const { tenant_id, job_id } = line
  const all = list === 'own' ? [ownClaim(line)] : ((list ?? []) as readonly JsonObject[])
  return all.map((device) => ({ tenant_id, owner: job_id, ...device }))
}

/** What a new job claims as a matter of course. */
function ownClaim(line: JsonObject): JsonObject {
  const { idempotency_key = null, idempotency_hash } = parts(line.new).job as JsonObject
  return { key: idempotency_key === null ? `request:${idempotency_hash}` : `key:${idempotency_key}` }
}

/** The records in `new`, complete. */
export function newRecords(line: JsonObject): readonly JsonObject[] {
  const { job, steps, outbox } = parts(line.new)
  const { tenant_id } = line
  return [
    ...steps.map((step, step_index) => ({
      ...Object.fromEntries(NULL_IN_STEP.map((field) => [field, null])),
      ...ofLine(line, 'step', step.step_id, 'PENDING'),
      limits: [],
      policy: {},
      attempt_no: 0,
      released: 0,
      queue_slot: false,
      step_index,
      queue: step.service,
      input_ref: job?.input_ref,
      output_ref: job?.output_ref,
      ...step,
    })),
    ...outbox.map((row) => ({
      ...Object.fromEntries(NULL_IN_ROW.map((field) => [field, null])),
      ...ofLine(line, 'outbox', row.outbox_id, 'PENDING'),
      tries: 0,
      ...row,
    })),
    ...(job === undefined ? [] : [job]).map((fields) => ({
      ...Object.fromEntries(NULL_IN_JOB.map((field) => [field, null])),
      ...ofLine(line, 'job', undefined, 'QUEUED'),
      current_step_index: 0,
      attempts_total: 0,
      priority: 2,
      unlimited: false,
      metadata: {},
      job_attempts: 0,
      on_dependency_failure: 'fail',
      depends_on: [],
      tags: [],
      waits_for: [],
      schema_version: 'v1',
      resolved_mode: 'DEFAULT',
      decision_source: 'GLOBAL_CONFIG',
      decision_reason: 'default',
      routing_key_used: tenant_id,
      ...fields,
    })),
  ]
}

/** What `set` says, in the long form. */
export function changedRecords(line: JsonObject): readonly JsonObject[] {
  const { job, steps, outbox } = parts(line.set)
  const { tenant_id, job_id } = line
  const change = (kind: string, own: Json | undefined, id: Json | undefined, fields: JsonObject) => {
    const at = timeOf(line)
    const state = stateOf(line, kind, own)
    const moved = state === undefined ? null : { state, state_since: at }
    return { kind, tenant_id, id, set: { ...moved, updated_at: at, ...fields } }
  }
  return [
    ...steps.map((fields) => change('step', fields.step_id, `${job_id}/${fields.step_id}`, fields)),
    ...outbox.map((fields) => change('outbox', fields.outbox_id, fields.outbox_id, fields)),
    ...(job === undefined ? [] : [change('job', undefined, job_id, job)]),
  ]
}

interface Parts {
  readonly job: JsonObject | undefined
  readonly steps: readonly JsonObject[]
  readonly outbox: readonly JsonObject[]
}

function parts(fields: Json | undefined): Parts {
  const { job, steps, outbox } = (fields ?? {}) as JsonObject
  return {
    job: job as JsonObject | undefined,
    steps: (steps ?? []) as readonly JsonObject[],
    outbox: (outbox ?? []) as readonly JsonObject[],
  }
}

function ofLine(line: JsonObject, kind: string, own: Json | undefined, first: string): JsonObject {
  const at = timeOf(line)
  const state = stateOf(line, kind, own) ?? first
  const { tenant_id, job_id } = line
  return { kind, tenant_id, job_id, state, state_since: at, created_at: at, updated_at: at }
}

/** The last state that the history of the line has for a record. */
function stateOf(line: JsonObject, kind: string, own: Json | undefined): string | undefined {
  const id = { job: line.job_id, step: `${line.job_id}/${own}`, outbox: own }[kind]
  const last = entriesOf(line).findLast(
    (entry) => entry.event === 'moved' && entry.kind === kind && entry.id === id,
  )
  return last === undefined ? undefined : (statesOf(last).at(-1) as string)
}

function timeOf(line: JsonObject): string {
  return new Date(Math.round((line.timestamp as number) * 1000)).toISOString()
}
