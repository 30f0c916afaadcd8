import type { JobAggregate } from '../aggregate.ts'
import { change, type Decision, type Given, type Needed, need, type Refused, refuse } from '../decision.ts'
import { differingFields, idempotencyClaim } from '../idempotency.ts'
import { isJsonObject, type Json } from '../json.ts'
import { present } from '../must.ts'
import { type Routing, route } from '../routing.ts'
import { toIso } from '../time.ts'
import type { SubmitAnswer, SubmitJob } from './commands.ts'
import { loadJobs, resolveDependencies } from './dependencies.ts'
import { JobDraft } from './draft.ts'
import { endedTopic } from './finish.ts'
import { IN_FLIGHT, limitsFor } from './limits.ts'
import type { Limit, ProtocolStep } from './protocol.ts'
import type { JobRecord, StepRecord } from './record.ts'
import { settle } from './settle.ts'

/**
 * Accepts a job. A request that was accepted before is answered with the job there is, before anything else is
 * looked at: repeating a submit is always safe, also at the limit.
 */
export function decideSubmit(command: SubmitJob, given: Given): Decision<SubmitAnswer> {
  const routing = route(command)
  if (routing === null) return refuseBurst(command)
  const { tenant_id, job_id } = command
  const key = idempotencyClaim(command.idempotency_key, command.idempotency_hash)
  const owner = given.ownerOf({ tenant_id, key })
  if (owner !== undefined) return answerDuplicate(command, given, owner)
  const jobs = command.depends_on.length === 0 ? NOBODY : loadJobs(given, tenant_id, command.depends_on)
  const own = given.get('job', tenant_id, job_id)
  if (own === undefined || !(jobs instanceof Map)) return needJobs(command, jobs)
  const refused = refuseBadIds(command, own, jobs)
  if (refused !== null) return refused
  const limits = limitsOfSteps(command)
  if (typeof limits === 'string') return refuseLimitKey(command, limits)
  if (given.isFull({ tenant_id, key: IN_FLIGHT })) return refuseInFlight(command)

  const draft = JobDraft.born(newJob(command, routing, limits, given.now), command, given)
  draft.claims.push({ tenant_id, key, owner: job_id })
  draft.slots.push({ tenant_id, key: IN_FLIGHT, verb: 'take', owner: job_id, max: command.inFlightLimit })
  resolveDependencies(draft, jobs)
  settle(draft)
  return draft.finish({ job_id, duplicate: false, differing: [] })
}

const NOBODY = new Map<string, JobAggregate | null>()

/** Everything that it may be missing, at once. */
function needJobs({ tenant_id, job_id }: SubmitJob, jobs: ReturnType<typeof loadJobs>): Needed {
  const own = { kind: 'job', tenant_id, id: job_id } as const
  return need(jobs instanceof Map ? [own] : [own, ...jobs.keys])
}

function answerDuplicate(command: SubmitJob, given: Given, owner: string): Decision<SubmitAnswer> {
  const existing = given.get('job', command.tenant_id, owner)
  if (existing === undefined) return need([{ kind: 'job', tenant_id: command.tenant_id, id: owner }])
  const job = existing?.job
  const differing = job === undefined ? [] : differingFields(command, job as SubmitJob & JobRecord)
  if (command.strictIdempotency && differing.length > 0) {
    return refuse({
      code: 'IDEMPOTENCY_CONFLICT',
      message: `The idempotency key ${command.idempotency_key} belongs to job ${owner}, which is another request`,
      field: 'idempotency_key',
      next: 'Use a new key for a new request, or send the same request again.',
      details: { job_id: owner, differing },
    })
  }
  return change({ job_id: owner, duplicate: true, differing }, {})
}

function newJob(
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
    newStep(command, step, index, limits[index] as readonly Limit[], at),
  )
  return { job, steps, outbox: [] }
}

/** The limits of each step; or the path to a value that one of their keys needs and the request lacks. */
function limitsOfSteps(command: SubmitJob): readonly (readonly Limit[])[] | string {
  const all: (readonly Limit[])[] = []
  for (const { limits = [] } of command.protocol.steps) {
    const filled = limitsFor(limits, command)
    if ('missing' in filled) return filled.missing
    all.push(filled.limits)
  }
  return all
}

function newStep(
  command: SubmitJob,
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
    policy: step.policy ?? {},
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

function refuseBadIds(
  command: SubmitJob,
  own: JobAggregate | null,
  jobs: ReadonlyMap<string, JobAggregate | null>,
): Refused | null {
  const { job_id, depends_on } = command
  if (depends_on.includes(job_id)) {
    return refuse({
      code: 'DEPENDENCY_CYCLE',
      message: `Job ${job_id} cannot depend on itself`,
      field: 'depends_on',
      next: 'Take its own id out of depends_on.',
      details: { job_id },
    })
  }
  if (own !== null) {
    return refuse({
      code: 'JOB_EXISTS',
      message: `There is a job ${job_id} already, for another request`,
      field: 'job_id',
      next: 'Leave job_id out to get a fresh one, or give an idempotency_key if this is the same request.',
      details: { job_id },
    })
  }
  if (depends_on.length === 0) return null
  const unknown = depends_on.filter((id) => jobs.get(id) === null)
  if (unknown.length === 0) return null
  return refuse({
    code: 'DEPENDENCY_UNKNOWN',
    message: `Job ${job_id} depends on ${unknown.join(', ')}, which is not known here`,
    field: 'depends_on',
    next: 'Submit what it depends on first, or together with it in one batch.',
    details: { job_id, unknown },
  })
}

function refuseLimitKey(command: SubmitJob, path: string): Refused {
  return refuse({
    code: 'LIMIT_KEY_MISSING',
    message: `A limit of ${command.request_type} is kept by ${path}, and the request has no value there that could be used`,
    field: path,
    next: `Give ${path} as a short text or a number, and not as a name that is reserved.`,
    details: { request_type: command.request_type, path },
  })
}

function refuseBurst(command: SubmitJob): Refused {
  return refuse({
    code: 'DOC_ID_REQUIRED',
    message: 'Mode BURST spreads a tenant by document, and the request names none',
    field: 'doc_id',
    next: 'Give doc_id, or use mode DEFAULT.',
    details: { tenant_id: command.tenant_id },
  })
}

export function refuseInFlight(command: {
  readonly tenant_id: string
  readonly inFlightLimit: number
}): Refused {
  return refuse({
    code: 'IN_FLIGHT_LIMIT',
    message: `Tenant ${command.tenant_id} has ${command.inFlightLimit} jobs in flight, as many as it may`,
    next: 'Wait for one to end and submit again, or raise inFlightLimit.',
    details: { tenant_id: command.tenant_id, limit: command.inFlightLimit, retry_after_seconds: 1 },
  })
}
