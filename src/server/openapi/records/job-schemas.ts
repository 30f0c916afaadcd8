import { z } from 'zod'
import {
  DEPENDENCY_POLICIES,
  type Escalation,
  type JobRecord,
  type OutboxRecord,
  type OutputFile,
  type Ready,
  type Rung,
  type StepGate,
  type StepRecord,
} from '../../../core/job/record.ts'
import { statesOf } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { outboxMachine } from '../../../core/machines/outbox.ts'
import { stepMachine } from '../../../core/machines/step.ts'
import { MODES } from '../../../core/routing.ts'
import { at, count, etag, id, json, jsonObject, ref } from './field-schemas.ts'
import {
  delivery,
  gateFields,
  limitSchema,
  protocolSchema,
  stageDocumentSchema,
  stepPolicySchema,
} from './protocol-schemas.ts'
import { schemaFor } from './schema-for.ts'

const mode = z.enum(MODES)
const decisionSource = z.enum(['REQUEST', 'TENANT_CONFIG', 'GLOBAL_CONFIG'])
const priority = z
  .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
  .describe('0 is the most urgent')

const routed = {
  resolved_mode: mode,
  lane: z.int(),
  routing_key_used: z.string(),
  decision_source: decisionSource,
  decision_reason: z.string(),
}

const rungSchema = schemaFor<Rung>()(
  z.strictObject({ protocol: protocolSchema, payload: json, priority }),
).meta({ id: 'Rung', description: 'A job that is made when the one before it has failed for good' })

const escalationSchema = schemaFor<Escalation>()(
  z.strictObject({
    rungs: z.array(rungSchema),
    level: z.int(),
    original_job_id: id.nullable(),
    escalated_from: id.nullable(),
    escalation_reason: z.string().nullable(),
    escalated_to: id.nullable(),
  }),
).meta({ id: 'Escalation', description: "Jobs that follow on each other's failure" })

const readySchema = schemaFor<Ready>()(
  z.strictObject({
    queue: z.string(),
    group: z.string(),
    rank: z.number(),
    limits: z.array(limitSchema),
    unlimited: z.literal(true).exactOptional(),
  }),
).meta({ id: 'Ready', description: 'What a worker or dispatcher could take now' })

const job = z.strictObject({
  kind: z.literal('job'),
  tenant_id: id,
  job_id: id,
  request_type: z.string(),
  protocol_id: id,
  doc_id: id.nullable(),
  state: z.enum(statesOf(jobMachine)),
  state_since: at,
  ...routed,
  idempotency_key: z.string().nullable(),
  idempotency_hash: z.string(),
  current_step_id: id,
  current_step_index: count,
  attempts_total: count,
  priority,
  depends_on: z.array(id),
  on_dependency_failure: z.enum(DEPENDENCY_POLICIES),
  run_at: at.nullable(),
  expires_at: at.nullable().describe('Ends waits, never work that has begun'),
  again_of: id.nullable().describe('The ended job that this one runs again'),
  schedule_id: id.nullable().describe('The schedule that submitted it'),
  unlimited: z.boolean().describe('Somebody let it pass all limits'),
  pipeline_name: z.string().nullable(),
  doc_key: z.string().nullable().describe('A key that no other job of the tenant has'),
  metadata: jsonObject,
  job_attempts: count.describe('How often another scheduler says that it began with it'),
  report_by: at.nullable().describe('When another scheduler has to have said something'),
  escalation: escalationSchema.nullable(),
  run_id: id.nullable(),
  workstream_id: id.nullable(),
  tags: z.array(z.string()),
  input_ref: ref,
  output_ref: ref,
  payload: json,
  schema_version: z.string(),
  callback_urls: jsonObject.nullable(),
  correlation_id: z.string().nullable(),
  traceparent: z.string().nullable(),
  created_at: at,
  updated_at: at,
  completed_at: at.nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  waits_for: z.array(z.string()),
  due_at: at.nullable().describe('The earliest time at which there is something to do for it'),
  ready: readySchema.nullable(),
  etag,
})

export const jobSchema = schemaFor<JobRecord>()(job).meta({ id: 'Job' })

const stepGateSchema = schemaFor<StepGate>()(
  z.strictObject({
    ...gateFields,
    since: at.nullable(),
    until: at.nullable(),
    seen: jsonObject.nullable(),
    looked: z.boolean(),
    opened_at: at.nullable(),
  }),
).meta({ id: 'StepGate', description: 'A gate, and how a job stands with it' })

const outputFileSchema = schemaFor<OutputFile>()(
  z.strictObject({ file: z.string(), sha256: z.string(), size_bytes: count }),
).meta({ id: 'OutputFile', description: 'Where a large output lies, and what it must hold' })

export const stepSchema = schemaFor<StepRecord>()(
  z.strictObject({
    kind: z.literal('step'),
    tenant_id: id,
    job_id: id,
    step_id: id,
    step_index: count,
    step_type: z.string(),
    service: z.string(),
    delivery,
    queue: z.string(),
    limits: z.array(limitSchema),
    policy: stepPolicySchema,
    gate: stepGateSchema.nullable(),
    document: stageDocumentSchema.nullable(),
    state: z.enum(statesOf(stepMachine)),
    state_since: at,
    attempt_no: count.describe('0 until the first attempt'),
    released: count.describe('Attempts that were given back unused, and so do not count'),
    lease_id: id.nullable(),
    lease_expires_at: at.nullable(),
    holder: z.string().nullable().describe('Who holds the lease'),
    queue_slot: z.boolean().describe('It holds one of the places of its queue'),

    ack_deadline_at: at.nullable(),
    retry_at: at.nullable(),
    input_ref: ref,
    workspace_ref: ref.nullable(),
    output_ref: ref,
    payload: json.describe("Its own part of the payload; null when it gets the job's whole payload"),
    output: json.describe("What it returned; the next step's `previous`"),
    output_file: outputFileSchema.nullable(),
    result_ref: ref.nullable().describe('Where it says that its output is'),
    resolved_mode: mode.nullable(),
    lane: z.int().nullable(),
    routing_key_used: z.string().nullable(),
    decision_source: decisionSource.nullable(),
    decision_reason: z.string().nullable(),
    last_error_code: z.string().nullable(),
    last_error_message: z.string().nullable(),
    created_at: at,
    updated_at: at,
    completed_at: at.nullable(),
    etag,
  }),
).meta({ id: 'Step' })

const outboxSchema = schemaFor<OutboxRecord>()(
  z.strictObject({
    kind: z.literal('outbox'),
    tenant_id: id,
    outbox_id: id,
    job_id: id,
    step_id: id,
    attempt_no: count,
    lease_id: id,
    state: z.enum(statesOf(outboxMachine)),
    state_since: at,
    ...routed,
    topic: z.string(),
    partition: z.int(),
    payload: jsonObject.describe('The directive, as it is published'),
    tries: count,
    taken_until: at.nullable().describe('A dispatcher is publishing it until then'),
    next_try_at: at.nullable(),
    last_error_code: z.string().nullable(),
    last_error_message: z.string().nullable(),
    created_at: at,
    updated_at: at,
    sent_at: at.nullable(),
    etag,
  }),
).meta({ id: 'Outbox', description: 'A directive on its way to a service' })

export const jobDetailSchema = z
  .strictObject({ ...job.shape, steps: z.array(stepSchema), outbox: z.array(outboxSchema) })
  .meta({ id: 'JobDetail', description: 'A job with its steps, and the directives that are still open' })
