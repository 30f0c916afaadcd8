import type { JobAggregate } from '../aggregate.ts'
import { EMPTY, isJsonObject, type Json } from '../json.ts'
import { present } from '../must.ts'
import type { Gate } from '../pipeline/gate.ts'
import type { Routing } from '../routing.ts'
import { toIso } from '../time.ts'
import type { SubmitJob } from './commands.ts'
import { endedTopic } from './ended-topic.ts'
import { type Limit, NO_LIMITS, type ProtocolStep, type StepPolicy } from './protocol.ts'
import type { Escalation, JobRecord, Rung, StepGate, StepRecord } from './record.ts'

/** The job of a request, and its steps, as they are when nothing has been done yet. */
export function newJob(
  command: SubmitJob,
  routing: Routing,
  limits: readonly (readonly Limit[])[],
  now: number,
): JobAggregate {
  const at = toIso(now)
  const first = present(command.protocol.steps[0], 'a protocol has a step')
  const job: JobRecord = {
    kind: 'job',
    tenant_id: command.tenant_id,
    job_id: command.job_id,
    request_type: command.request_type,
    protocol_id: command.protocol.protocol_id,
    doc_id: command.doc_id,
    state: 'QUEUED',
    state_since: at,
    idempotency_key: command.idempotency_key,
    idempotency_hash: command.idempotency_hash,
    current_step_id: first.step_id,
    current_step_index: 0,
    attempts_total: 0,
    priority: command.priority,
    depends_on: command.depends_on,
    on_dependency_failure: command.on_dependency_failure,
    run_at: command.delay_ms === null ? command.run_at : toIso(now + command.delay_ms),
    expires_at: command.expires_at,
    again_of: null,
    schedule_id: command.schedule_id,
    unlimited: false,
    pipeline_name: command.pipeline_name,
    doc_key: command.doc_key,
    metadata: command.metadata,
    job_attempts: 0,
    report_by: null,
    escalation: command.rungs.length === 0 ? null : firstOfChain(command.rungs),
    run_id: command.run_id,
    workstream_id: command.workstream_id,
    tags: command.tags,
    input_ref: command.input_ref,
    output_ref: command.output_ref,
    payload: command.payload,
    schema_version: command.schema_version,
    callback_urls: command.callback_urls,
    correlation_id: command.correlation_id,
    traceparent: command.traceparent,
    resolved_mode: routing.resolved_mode,
    decision_source: routing.decision_source,
    decision_reason: routing.decision_reason,
    lane: routing.lane,
    routing_key_used: routing.routing_key_used,
    created_at: at,
    updated_at: at,
    completed_at: null,
    error_code: null,
    error_message: null,
    waits_for: command.depends_on.length === 0 ? command.depends_on : command.depends_on.map(endedTopic),
    due_at: null,
    ready: null,
    etag: '',
  }
  const steps = command.protocol.steps.map((step, index) =>
    newStep(command, step, index, limits[index] ?? NO_LIMITS, at),
  )
  return { job, steps, outbox: [] }
}

export function firstOfChain(rungs: readonly Rung[]): Escalation {
  return {
    rungs,
    level: 1,
    original_job_id: null,
    escalated_from: null,
    escalation_reason: null,
    escalated_to: null,
  }
}

/** A gate that nobody has come to yet. */
export function shut(gate: Gate): StepGate {
  return { ...gate, since: null, until: null, seen: null, looked: false, opened_at: null }
}

const NO_POLICY: StepPolicy = EMPTY

/** What a step takes from its job. */
type NewStepOf = Pick<SubmitJob, 'tenant_id' | 'job_id' | 'input_ref' | 'output_ref' | 'payload'>

export function newStep(
  command: NewStepOf,
  step: ProtocolStep,
  step_index: number,
  limits: readonly Limit[],
  at: string,
): StepRecord {
  return {
    kind: 'step',
    tenant_id: command.tenant_id,
    job_id: command.job_id,
    step_id: step.step_id,
    step_index,
    step_type: step.step_type,
    service: step.service,
    delivery: step.delivery,
    queue: step.queue ?? step.service,
    limits,
    policy: step.policy ?? NO_POLICY,
    gate: step.gate === undefined ? null : shut(step.gate),
    document: step.document ?? null,
    state: 'PENDING',
    state_since: at,
    attempt_no: 0,
    released: 0,
    lease_id: null,
    lease_expires_at: null,
    holder: null,
    queue_slot: false,
    ack_deadline_at: null,
    retry_at: null,
    input_ref: command.input_ref,
    workspace_ref: null,
    output_ref: command.output_ref,
    payload: ownPayload(command.payload, step.step_id),
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
    created_at: at,
    updated_at: at,
    completed_at: null,
    etag: '',
  }
}

/** `payload.steps[step_id]` is for that step alone. */
export function ownPayload(payload: Json, step_id: string): Json {
  const steps = isJsonObject(payload) ? payload.steps : undefined
  return isJsonObject(steps) && Object.hasOwn(steps, step_id) ? (steps[step_id] as Json) : null
}
