import type { JobRecord, StepRecord } from '../../../core/job/record.ts'
import { isUsual } from '../../usual-fields.ts'
import { constant, LineBytes } from './line-bytes.ts'

// What of a record is not as one would take it to be, field by field. Written out, since every line has two records of some
// fifty fields, and going through them by their names takes several times as long. A test has every field change.

/** What a line says of a record anyway. */
export interface Told {
  state: string
  state_since: string
  updated_at: string
  etag: string
}

/** `was` is the job as it was, or what is usual of a new one. */
export function writeJobFields(job: JobRecord, was: JobRecord, told: Told, into: LineBytes): void {
  differ('kind', job.kind, was.kind, into)
  differ('tenant_id', job.tenant_id, was.tenant_id, into)
  differ('job_id', job.job_id, was.job_id, into)
  differ('request_type', job.request_type, was.request_type, into)
  differ('protocol_id', job.protocol_id, was.protocol_id, into)
  differ('doc_id', job.doc_id, was.doc_id, into)
  differ('state', job.state, told.state, into)
  differ('state_since', job.state_since, told.state_since, into)
  differ('idempotency_key', job.idempotency_key, was.idempotency_key, into)
  differ('idempotency_hash', job.idempotency_hash, was.idempotency_hash, into)
  differ('current_step_id', job.current_step_id, was.current_step_id, into)
  differ('current_step_index', job.current_step_index, was.current_step_index, into)
  differ('attempts_total', job.attempts_total, was.attempts_total, into)
  differ('priority', job.priority, was.priority, into)
  differ('depends_on', job.depends_on, was.depends_on, into)
  differ('on_dependency_failure', job.on_dependency_failure, was.on_dependency_failure, into)
  differ('run_at', job.run_at, was.run_at, into)
  differ('expires_at', job.expires_at, was.expires_at, into)
  differ('again_of', job.again_of, was.again_of, into)
  differ('schedule_id', job.schedule_id, was.schedule_id, into)
  differ('unlimited', job.unlimited, was.unlimited, into)
  differ('pipeline_name', job.pipeline_name, was.pipeline_name, into)
  differ('doc_key', job.doc_key, was.doc_key, into)
  differ('metadata', job.metadata, was.metadata, into)
  differ('job_attempts', job.job_attempts, was.job_attempts, into)
  differ('report_by', job.report_by, was.report_by, into)
  differ('escalation', job.escalation, was.escalation, into)
  differ('run_id', job.run_id, was.run_id, into)
  differ('workstream_id', job.workstream_id, was.workstream_id, into)
  differ('tags', job.tags, was.tags, into)
  differ('input_ref', job.input_ref, was.input_ref, into)
  differ('output_ref', job.output_ref, was.output_ref, into)
  differ('payload', job.payload, was.payload, into)
  differ('schema_version', job.schema_version, was.schema_version, into)
  differ('callback_urls', job.callback_urls, was.callback_urls, into)
  differ('correlation_id', job.correlation_id, was.correlation_id, into)
  differ('traceparent', job.traceparent, was.traceparent, into)
  differ('resolved_mode', job.resolved_mode, was.resolved_mode, into)
  differ('decision_source', job.decision_source, was.decision_source, into)
  differ('decision_reason', job.decision_reason, was.decision_reason, into)
  differ('lane', job.lane, was.lane, into)
  differ('routing_key_used', job.routing_key_used, was.routing_key_used, into)
  differ('created_at', job.created_at, was.created_at, into)
  differ('updated_at', job.updated_at, told.updated_at, into)
  differ('completed_at', job.completed_at, was.completed_at, into)
  differ('error_code', job.error_code, was.error_code, into)
  differ('error_message', job.error_message, was.error_message, into)
  differ('waits_for', job.waits_for, was.waits_for, into)
  differ('due_at', job.due_at, was.due_at, into)
  differ('ready', job.ready, was.ready, into)
  differ('etag', job.etag, told.etag, into)
  writeOthers(job, was, JOB_FIELDS, into)
}

/** The same of a step. */
export function writeStepFields(step: StepRecord, was: StepRecord, told: Told, into: LineBytes): void {
  differ('kind', step.kind, was.kind, into)
  differ('tenant_id', step.tenant_id, was.tenant_id, into)
  differ('job_id', step.job_id, was.job_id, into)
  differ('step_id', step.step_id, was.step_id, into)
  differ('step_index', step.step_index, was.step_index, into)
  differ('step_type', step.step_type, was.step_type, into)
  differ('service', step.service, was.service, into)
  differ('delivery', step.delivery, was.delivery, into)
  differ('queue', step.queue, was.queue, into)
  differ('limits', step.limits, was.limits, into)
  differ('policy', step.policy, was.policy, into)
  differ('gate', step.gate, was.gate, into)
  differ('document', step.document, was.document, into)
  differ('state', step.state, told.state, into)
  differ('state_since', step.state_since, told.state_since, into)
  differ('attempt_no', step.attempt_no, was.attempt_no, into)
  differ('released', step.released, was.released, into)
  differ('lease_id', step.lease_id, was.lease_id, into)
  differ('lease_expires_at', step.lease_expires_at, was.lease_expires_at, into)
  differ('holder', step.holder, was.holder, into)
  differ('queue_slot', step.queue_slot, was.queue_slot, into)
  differ('ack_deadline_at', step.ack_deadline_at, was.ack_deadline_at, into)
  differ('retry_at', step.retry_at, was.retry_at, into)
  differ('input_ref', step.input_ref, was.input_ref, into)
  differ('workspace_ref', step.workspace_ref, was.workspace_ref, into)
  differ('output_ref', step.output_ref, was.output_ref, into)
  differ('payload', step.payload, was.payload, into)
  differ('output', step.output, was.output, into)
  differ('output_file', step.output_file, was.output_file, into)
  differ('result_ref', step.result_ref, was.result_ref, into)
  differ('resolved_mode', step.resolved_mode, was.resolved_mode, into)
  differ('lane', step.lane, was.lane, into)
  differ('routing_key_used', step.routing_key_used, was.routing_key_used, into)
  differ('decision_source', step.decision_source, was.decision_source, into)
  differ('decision_reason', step.decision_reason, was.decision_reason, into)
  differ('last_error_code', step.last_error_code, was.last_error_code, into)
  differ('last_error_message', step.last_error_message, was.last_error_message, into)
  differ('created_at', step.created_at, was.created_at, into)
  differ('updated_at', step.updated_at, told.updated_at, into)
  differ('completed_at', step.completed_at, was.completed_at, into)
  differ('etag', step.etag, told.etag, into)
  writeOthers(step, was, STEP_FIELDS, into)
}

type Field = keyof JobRecord | keyof StepRecord

function differ(field: Field, value: unknown, expected: unknown, into: LineBytes): void {
  if (value !== expected) writeField(field, value, expected, into)
}

/** With a comma before it. */
function writeField(field: string, value: unknown, expected: unknown, into: LineBytes): void {
  if (value === undefined || isUsual(value, expected)) return
  into.put(nameOf(field))
  into.value(value)
}

type Fields = { readonly [field: string]: unknown }

/** A record may come to have more fields than are known here. None is lost for that; it only takes longer. */
function writeOthers(record: object, was: object, known: ReadonlySet<string>, into: LineBytes): void {
  let fields = 0
  for (const _ in record) fields++
  if (fields === known.size) return
  for (const field in record) {
    if (known.has(field)) continue
    const value = (record as Fields)[field]
    const expected = (was as Fields)[field]
    if (value !== expected) writeField(field, value, expected, into)
  }
}

const JOB_FIELDS: Set<string> = new Set()
const STEP_FIELDS: Set<string> = new Set()

/** What is asked for is what is known. */
function asked(fields: Set<string>): never {
  return new Proxy({}, { get: (_, field) => void fields.add(field as string) }) as never
}

writeJobFields(asked(JOB_FIELDS), {} as JobRecord, {} as Told, new LineBytes())
writeStepFields(asked(STEP_FIELDS), {} as StepRecord, {} as Told, new LineBytes())

const names = new Map<string, Uint8Array>()

/** With a comma before it. There are as many as records have fields. */
export function nameOf(field: string): Uint8Array {
  let name = names.get(field)
  if (name === undefined) {
    name = constant(`,${JSON.stringify(field)}:`)
    names.set(field, name)
  }
  return name
}
