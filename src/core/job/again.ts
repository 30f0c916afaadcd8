import { change, type Decision, need, type Refused, refuse } from '../decision.ts'
import { joinGroups } from '../group/join.ts'
import { idempotencyClaim } from '../idempotency.ts'
import type { JsonObject } from '../json.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import type { RunAgain, SubmitAnswer } from './commands.ts'
import { JobDraft } from './draft.ts'
import { IN_FLIGHT } from './limits.ts'
import { firstOfChain, shut } from './new-job.ts'
import { BOOTSTRAP } from './protocol.ts'
import type { JobRecord, StepRecord } from './record.ts'
import { settle } from './settle.ts'
import { refuseInFlight } from './submit.ts'
import { GATE } from './waiting.ts'

/**
 * What has ended stays as it is, so running a job again makes a new one of it. Steps before the one it begins with have
 * succeeded already: the new job takes over what they came to.
 */
export function runAgain(old: JobDraft, command: RunAgain): Decision<SubmitAnswer> {
  const { given } = old
  const { tenant_id, new_job_id } = command
  const { idempotency_key } = command
  const key = idempotency_key === null ? null : idempotencyClaim(idempotency_key, '')
  const owner = key === null ? undefined : given.ownerOf({ tenant_id, key })
  if (owner !== undefined) return change({ job_id: owner, duplicate: true, differing: [] }, {})
  const there = given.get('job', tenant_id, new_job_id)
  if (there === undefined) return need([{ kind: 'job', tenant_id, id: new_job_id }])
  const refused = refuseAgain(old, command, there !== null)
  if (refused !== null) return refused
  if (given.isFull({ tenant_id, key: IN_FLIGHT })) return refuseInFlight(command)
  const first = firstStep(old, command)
  const job = newJob(old, command, old.steps[first] as StepRecord)
  const joined = joinGroups({ ...command, run_id: job.run_id, workstream_id: job.workstream_id }, given)
  if (joined.kind !== 'joined') return joined
  const steps = ownSteps(old).map((step) =>
    step.step_index < first ? doneStep(step, job, old.at) : newStep(step, job, old.at),
  )
  const draft = JobDraft.born({ job, steps, outbox: [] }, command, given)
  draft.join(joined)
  if (key !== null) draft.claim({ tenant_id, key, owner: new_job_id })
  draft.slot({
    tenant_id,
    key: IN_FLIGHT,
    verb: 'take',
    owner: new_job_id,
    max: command.inFlightLimit,
  })
  settle(draft)
  return draft.finish({ job_id: new_job_id, duplicate: false, differing: [] })
}

/** Stages that somebody else ran are theirs to report again. */
function ownSteps({ steps }: JobDraft): readonly StepRecord[] {
  return steps[0]?.step_id === BOOTSTRAP ? steps.slice(0, 1) : steps
}

function firstStep(old: JobDraft, { from_step }: RunAgain): number {
  return from_step === null ? 0 : ownSteps(old).findIndex(({ step_id }) => step_id === from_step)
}

function newJob({ job: old, steps, at }: JobDraft, command: RunAgain, first: StepRecord): JobRecord {
  const again = new Set(
    steps.filter((step) => step.step_index >= first.step_index).map(({ step_id }) => step_id),
  )
  return {
    ...old,
    job_id: command.new_job_id,
    state: 'QUEUED',
    state_since: at,
    idempotency_key: command.idempotency_key,
    current_step_id: first.step_id,
    current_step_index: first.step_index,
    attempts_total: 0,
    depends_on: [],
    run_at: null,
    expires_at: null,
    again_of: old.job_id,
    schedule_id: null,
    unlimited: false,
    doc_key: null,
    metadata: asSubmitted(old, again),
    job_attempts: 0,
    report_by: null,
    escalation: old.escalation === null ? null : firstOfChain(old.escalation.rungs),
    created_at: at,
    updated_at: at,
    completed_at: null,
    error_code: null,
    error_message: null,
    waits_for: [],
    due_at: null,
    ready: null,
    etag: '',
  }
}

/** What stages said that are going to be run again is not so yet. */
function asSubmitted({ metadata }: JobRecord, again: ReadonlySet<string>): JsonObject {
  const said = (key: string) => /^stage\.(.+)\.[^.]+$/.exec(key)?.[1] ?? null
  return Object.fromEntries(
    Object.entries(metadata).filter(([key]) => {
      const stage = said(key)
      return stage === null || !again.has(stage)
    }),
  )
}

/** It keeps what it came to, and nothing of how it came to it. */
function doneStep(old: StepRecord, { job_id }: JobRecord, at: string): StepRecord {
  return {
    ...old,
    job_id,
    attempt_no: 0,
    released: 0,
    lease_id: null,
    lease_expires_at: null,
    holder: null,
    queue_slot: false,
    ack_deadline_at: null,
    retry_at: null,
    // A gate that was passed is not passed again, but what it passed over was not done.
    gate: null,
    last_error_code: old.last_error_code === GATE ? GATE : null,
    last_error_message: null,
    created_at: at,
    updated_at: at,
    etag: '',
  }
}

function newStep(old: StepRecord, job: JobRecord, at: string): StepRecord {
  return {
    ...doneStep(old, job, at),
    state: 'PENDING',
    state_since: at,
    gate: old.gate === null ? null : shut(old.gate),
    last_error_code: null,
    // The old one may have had it from the step before, which may come to something else this time.
    input_ref: job.input_ref,
    output: null,
    output_file: null,
    result_ref: null,
    resolved_mode: null,
    lane: null,
    routing_key_used: null,
    decision_source: null,
    decision_reason: null,
    completed_at: null,
  }
}

function refuseAgain(old: JobDraft, command: RunAgain, isTaken: boolean): Refused | null {
  const { job_id, state } = old.job
  const { from_step, new_job_id } = command
  if (!isTerminal(jobMachine, state)) {
    return refuse({
      code: 'JOB_NOT_ENDED',
      message: `Job ${job_id} is ${state}; only a job that has ended can be run again`,
      field: 'job_id',
      next: `Wait for it, or end it first: waybill jobs cancel ${job_id}`,
      details: { job_id, state },
    })
  }
  if (isTaken) {
    return refuse({
      code: 'JOB_EXISTS',
      message: `There is a job ${new_job_id} already`,
      field: 'new_job_id',
      next: 'Leave new_job_id out to get a fresh one.',
      details: { job_id: new_job_id },
    })
  }
  const first = firstStep(old, command)
  const names = ownSteps(old).map(({ step_id }) => step_id)
  if (first < 0) {
    return refuse({
      code: 'STEP_UNKNOWN',
      message: `Job ${job_id} has no step ${from_step}`,
      field: 'from_step',
      next: `Use one of: ${names.join(', ')}.`,
      details: { job_id, from_step, steps: names },
    })
  }
  const before = old.steps
    .slice(0, first)
    .find((step) => step.state !== 'SUCCEEDED' && step.last_error_code !== GATE)
  if (before === undefined) return null
  return refuse({
    code: 'STEP_NOT_REACHED',
    message: `Job ${job_id} cannot go on from step ${from_step}: ${before.step_id} before it is ${before.state}`,
    field: 'from_step',
    next: `Run it again from ${before.step_id}, or from the beginning.`,
    details: { job_id, from_step, step_id: before.step_id, state: before.state },
  })
}
