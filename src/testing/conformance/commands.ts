import { createHash } from 'node:crypto'
import type { UpdateDocument } from '../../core/document/decide.ts'
import type {
  AckStep,
  AnnotateJob,
  CallbackCommand,
  ExpediteJob,
  HeartbeatStep,
  JobCommand,
  ReleaseStep,
  ReportResult,
  ReportStage,
  RunAgain,
  StageReport,
  StepResult,
  SubmitJob,
} from '../../core/job/commands.ts'
import type { StepRecord } from '../../core/job/record.ts'
import { EMPTY, type JsonObject } from '../../core/json.ts'
import type { DocumentState } from '../../core/machines/document.ts'
import type { SteerQueue } from '../../core/queue/decide.ts'
import { EVERYBODY } from '../../core/queue/record.ts'
import type { Calendar, FireSchedule, MoveSchedule, PutSchedule } from '../../core/schedule/commands.ts'
import type { ScheduleRecord } from '../../core/schedule/record.ts'
import { HOUR_MS } from '../../core/time.ts'
import type { MintToken, RevokeToken } from '../../core/token/decide.ts'
import { PULLED } from './protocols.ts'

export const TENANT = 'acme'

const BY = { actor: 'tester', reason: null } as const

export function moveDocument(
  doc_id: string,
  state: DocumentState,
  more: Partial<UpdateDocument> = {},
): UpdateDocument {
  return { type: 'updateDocument', tenant_id: TENANT, doc_id, state, ...BY, ...more }
}

const NONE: readonly never[] = Object.freeze([])

/** One of many that are submitted in the same way, under an id that was just made up. */
export function freshJob(job_id: string, more: Partial<SubmitJob> = {}): SubmitJob {
  return submitJob(job_id, { isFreshId: true, ...more })
}

/** A request that is like no other job's, unless the identity is given too. */
export function submitJob(job_id: string, more: Partial<SubmitJob> = {}): SubmitJob {
  const protocol = more.protocol ?? PULLED
  const identity = {
    tenant_id: more.tenant_id ?? TENANT,
    request_type: protocol.request_type,
    input_ref: more.input_ref ?? `in/${job_id}`,
    output_ref: more.output_ref ?? `out/${job_id}`,
    payload: more.payload ?? { for: job_id },
    schema_version: 'v1',
  }
  return {
    type: 'submitJob',
    job_id,
    protocol,
    doc_id: null,
    mode: undefined,
    tenantMode: undefined,
    globalMode: undefined,
    idempotency_key: null,
    idempotency_hash: createHash('sha256').update(JSON.stringify(identity)).digest('hex'),
    strictIdempotency: false,
    inFlightLimit: 100,
    priority: 2,
    depends_on: NONE,
    on_dependency_failure: 'fail',
    run_at: null,
    delay_ms: null,
    expires_at: null,
    run_id: null,
    workstream_id: null,
    schedule_id: null,
    pipeline_name: null,
    doc_key: null,
    metadata: EMPTY,
    rungs: NONE,
    tags: NONE,
    callback_urls: null,
    correlation_id: null,
    traceparent: null,
    ...BY,
    ...more,
    ...identity,
  }
}

/** Pauses, resumes or limits a queue. */
export function steerQueue(queue: string, more: Partial<SteerQueue>): SteerQueue {
  return { type: 'steerQueue', tenant_id: EVERYBODY, queue, ...BY, ...more }
}

/** Whenever so many milliseconds have passed since the epoch; that is all the calendar the suite needs. */
const everySoOften: Calendar = ({ cron }, ms) => (Math.floor(ms / Number(cron)) + 1) * Number(cron)

export function putSchedule(schedule_id: string, more: Partial<PutSchedule> = {}): PutSchedule {
  return {
    type: 'putSchedule',
    tenant_id: TENANT,
    schedule_id,
    cron: String(HOUR_MS),
    timezone: 'UTC',
    request: { request_type: PULLED.request_type },
    overlap: 'allow',
    catch_up: 'one',
    calendar: everySoOften,
    ...BY,
    ...more,
  }
}

export function moveSchedule(
  schedule_id: string,
  state: MoveSchedule['state'],
  more: Partial<MoveSchedule> = {},
): MoveSchedule {
  return {
    type: 'moveSchedule',
    tenant_id: TENANT,
    schedule_id,
    state,
    calendar: everySoOften,
    ...BY,
    ...more,
  }
}

/** Its next time has come, and it submits a job of this id. */
export function fireSchedule(schedule: ScheduleRecord, job_id: string): FireSchedule {
  const { tenant_id, schedule_id, next_at } = schedule
  return {
    type: 'fireSchedule',
    tenant_id,
    schedule_id,
    at: next_at ?? '',
    submit: submitJob(job_id, { tenant_id, schedule_id }),
    calendar: everySoOften,
    ...BY,
  }
}

/** Lets somebody in; the secret is nobody's. */
export function mintToken(token_id: string, more: Partial<MintToken> = {}): MintToken {
  return {
    type: 'mintToken',
    tenant_id: EVERYBODY,
    token_id,
    name: 'ada',
    role: 'operator',
    tenants: [TENANT],
    hash: createHash('sha256').update(token_id).digest('hex'),
    expires_at: null,
    ...BY,
    ...more,
  }
}

export function revokeToken(token_id: string, more: Partial<RevokeToken> = {}): RevokeToken {
  return { type: 'revokeToken', tenant_id: EVERYBODY, token_id, ...BY, ...more }
}

export function expedite(
  job_id: string,
  ignore: ExpediteJob['ignore'] = [],
  more: Partial<ExpediteJob> = {},
) {
  const command = { type: 'expediteJob', tenant_id: TENANT, job_id, priority: null, ignore, ...BY } as const
  return { ...command, ...more } as ExpediteJob
}

export function runAgain(job_id: string, new_job_id: string, more: Partial<RunAgain> = {}): RunAgain {
  return {
    type: 'runAgain',
    tenant_id: TENANT,
    job_id,
    new_job_id,
    from_step: null,
    idempotency_key: null,
    inFlightLimit: 100,
    ...BY,
    ...more,
  }
}

/** Something to know about a job, or something that happened to it. */
export function annotate(job_id: string, metadata: JsonObject, more: Partial<AnnotateJob> = {}): AnnotateJob {
  return { type: 'annotateJob', tenant_id: TENANT, job_id, metadata, event: null, ...BY, ...more }
}

/** What another scheduler says of the stages it runs. */
export function reportStage(
  job_id: string,
  report: StageReport,
  more: Partial<ReportStage> = {},
): ReportStage {
  return { type: 'reportStage', tenant_id: TENANT, job_id, report, ...BY, ...more }
}

/** A stage that succeeded, of which nothing else is known. */
export function stageDone(stage: string): StageReport {
  return { what: 'succeeded', stage, attempts: null, output_count: null, duration_ms: null, output: [stage] }
}

type Simple = Extract<JobCommand['type'], 'claimStep' | 'takeOutbox' | 'cancelJob' | 'advanceJob'>

/** A command that says nothing but its job. */
export function onJob<T extends Simple>(
  type: T,
  job_id: string,
  more: Partial<Extract<JobCommand, { readonly type: T }>> = {},
) {
  return { type, tenant_id: TENANT, job_id, ...BY, ...more } as unknown as Extract<
    JobCommand,
    { readonly type: T }
  >
}

export function recordSent(job_id: string, outbox_id: string, tenant_id = TENANT) {
  return { type: 'recordSent', tenant_id, job_id, outbox_id, ...BY } as const
}

export function recordPublishFailure(job_id: string, outbox_id: string, tenant_id = TENANT) {
  const error = { code: 'UNREACHABLE', message: 'No route to the bus' }
  return { type: 'recordPublishFailure', tenant_id, job_id, outbox_id, error, ...BY } as const
}

export function ack(step: StepRecord, more: Partial<CallbackCommand> = {}): AckStep {
  return { ...callback(step), ...more, type: 'ackStep' }
}

export function heartbeat(step: StepRecord, more: Partial<CallbackCommand> = {}): HeartbeatStep {
  return { ...callback(step), ...more, type: 'heartbeatStep' }
}

export function giveBack(step: StepRecord, more: Partial<CallbackCommand> = {}): ReleaseStep {
  return { ...callback(step), ...more, type: 'releaseStep' }
}

export function report(
  step: StepRecord,
  result: StepResult,
  more: Partial<CallbackCommand> = {},
): ReportResult {
  return { ...callback(step), ...more, type: 'reportResult', result }
}

export const SUCCESS: StepResult = { status: 'SUCCEEDED', output: { pages: 3 } }

export function failure(failure_class: 'RETRYABLE' | 'NON_RETRYABLE'): StepResult {
  return { status: 'FAILED', failure_class, error: { code: 'BAD_PAGE', message: 'Page 3 is blank' } }
}

function callback({ tenant_id, job_id, step_id, attempt_no, lease_id }: StepRecord) {
  return { tenant_id, job_id, step_id, attempt_no, lease_id: lease_id ?? '', ...BY }
}
