// Why a job is where it is. The answer is made of what the scheduler itself goes by: the one wait that timers and ready
// work come from (`waitOf`), and the choice that workers make (`pick`). So it cannot say otherwise than what happens.
import type { JobAggregate } from '../aggregate.ts'
import { isTerminal, nextStates } from '../machine.ts'
import { type JobState, jobMachine } from '../machines/job.ts'
import type { StepState } from '../machines/step.ts'
import { present } from '../must.ts'
import { describe } from '../pipeline/gate.ts'
import type { QueueRecord } from '../queue/record.ts'
import { shellWord } from '../shell-word.ts'
import { awaitedJobs } from './dependencies.ts'
import { attemptsLeft } from './protocol.ts'
import type { JobRecord, OutboxRecord, StepGate, StepRecord } from './record.ts'
import { HUMAN_LANE } from './tool-service.ts'
import { activeStep, currentRow, isAhead, type Wait, waitOf } from './waiting.ts'
import { type Cause, commandOn, expedite, paused, type Unblock, unblockBy } from './why-cause.ts'
import { type Place, whyNotTaken } from './why-not-taken.ts'

export interface Why {
  readonly tenant_id: string
  readonly job_id: string
  readonly state: JobState
  /** What keeps it, what has to happen first coming first. There is always one. */
  readonly causes: readonly Cause[]
  /** The step it is at; null when it has ended. */
  readonly step: WhyStep | null
  readonly next_states: readonly JobState[]
}

export interface WhyStep {
  readonly step_id: string
  readonly step_index: number
  /** How many steps the job has. */
  readonly steps: number
  readonly state: StepState
  readonly attempt_no: number
  readonly attempts_left: number
}

/** What else has to be known. */
export interface WhyFacts {
  readonly now: number
  /** The jobs it waits for, or the first few of them; null for one that is gone. */
  readonly dependencies: ReadonlyMap<string, JobRecord | null>
  /** What was decided about the queue of the step it is at. */
  readonly queue: QueueRecord | null
  /** Where it stands among ready work; null when it is not ready. */
  readonly place: Place | null
}

export function whyJob(aggregate: JobAggregate, facts: WhyFacts): Why {
  const { job, steps } = aggregate
  const step = activeStep(steps)
  const { tenant_id, job_id, state } = job
  return {
    tenant_id,
    job_id,
    state,
    causes: causesOf(aggregate, step, facts),
    step: step === undefined || isTerminal(jobMachine, state) ? null : whyStep(step, steps.length),
    next_states: [...nextStates(jobMachine, state)],
  }
}

function whyStep(step: StepRecord, steps: number): WhyStep {
  const { step_id, step_index, state, attempt_no } = step
  return { step_id, step_index, steps, state, attempt_no, attempts_left: attemptsLeft(step) }
}

function causesOf(aggregate: JobAggregate, step: StepRecord | undefined, facts: WhyFacts): readonly Cause[] {
  const { job } = aggregate
  if (isTerminal(jobMachine, job.state)) return [ended(job)]
  const wait = waitOf(aggregate, facts.now)
  if (isOverdue(job, facts)) return [overdue(job, wait)]
  if (step === undefined)
    return [wait.cause === 'report' ? nextStage(job, aggregate.steps) : overdue(job, wait)]
  if (job.state === 'CANCELLING') return [cancelling(job, step)]
  const causes = causesOfWait(aggregate, step, wait, facts)
  const isLater = LATER.includes(wait.cause)
  // What it would run into next is worth knowing now.
  if (wait.cause === 'dependency' && isAhead(job.run_at, facts.now)) causes.push(delayed(job))
  if (isLater && facts.queue?.state === 'paused') causes.push(paused(facts.queue))
  return causes
}

/** Once this is over, it needs a worker. */
const LATER: readonly Wait['cause'][] = ['dependency', 'delay', 'gate', 'backoff']

/** Its timer has come, or what it waited for has ended, and nobody has looked at it since. */
function isOverdue(job: JobRecord, { now, dependencies }: WhyFacts): boolean {
  if (job.due_at !== null && !isAhead(job.due_at, now)) return true
  const awaited = awaitedJobs(job)
  return awaited.length > 0 && awaited.some((id) => hasEnded(dependencies.get(id)))
}

function hasEnded(job: JobRecord | null | undefined): boolean {
  return job === null || (job !== undefined && isTerminal(jobMachine, job.state))
}

function causesOfWait(aggregate: JobAggregate, step: StepRecord, wait: Wait, facts: WhyFacts): Cause[] {
  const { job } = aggregate
  switch (wait.cause) {
    case 'dependency':
      return awaitedJobs(job).map((id) => dependency(job, id, facts.dependencies.get(id)))
    case 'delay':
      return [delayed(job)]
    case 'gate':
      return [gated(job, step)]
    case 'backoff':
      return [backoff(job, step)]
    case 'publishing':
      return [publishing(aggregate, step)]
    case 'publish_backoff':
      return [publishBackoff(aggregate, step)]
    case 'ack':
      return [awaitsAck(job, step)]
    case 'lease':
      return [leased(job, step)]
    default:
      return step.delivery === 'external'
        ? [external(job, step)]
        : whyNotTaken(job, step, facts.queue, facts.place)
  }
}

function ended(job: JobRecord): Cause {
  const { state, completed_at, error_code, error_message, escalation } = job
  const why = error_message === null ? '' : `: ${error_message}`
  const message = `It is ${state} since ${completed_at}${why}`
  const escalated_to = escalation?.escalated_to ?? null
  if (escalated_to !== null) return handedOn(job, escalated_to, message)
  return {
    cause: 'ended',
    message,
    until: null,
    details: { completed_at, error_code },
    unblock:
      state === 'SUCCEEDED'
        ? null
        : unblockBy(
            job,
            { verb: 'again' },
            'Makes a new job of it; --from STEP takes over what the steps before came to.',
          ),
  }
}

/** Somebody else has its work now. */
function handedOn(job: JobRecord, escalated_to: string, message: string): Cause {
  const { completed_at, error_code } = job
  return {
    cause: 'ended',
    message: `${message}. Job ${escalated_to} took over`,
    until: null,
    details: { completed_at, error_code, escalated_to },
    unblock: unblockBy(
      job,
      { verb: 'look', job_id: escalated_to },
      'Says what keeps the job that has its work now.',
    ),
  }
}

/** A timer that nobody fired: nothing is wrong with the job, but nobody keeps time. */
function overdue(job: JobRecord, wait: Wait): Cause {
  const since = job.due_at
  return {
    cause: 'timer',
    message: `Something is due${since === null ? '' : ` since ${since}`}, and nobody has done it: no worker or dispatcher keeps time`,
    until: null,
    details: { waited_for: wait.cause, since },
    unblock: {
      command: 'waybill worker --until-idle',
      effect: 'Does whatever is due, then ends.',
      does: null,
    },
  }
}

function cancelling(job: JobRecord, step: StepRecord): Cause {
  return {
    cause: 'cancelling',
    message: `It is being cancelled; ${holderOf(step)} was told to stop and has until ${step.lease_expires_at}`,
    until: step.lease_expires_at,
    details: { step_id: step.step_id, holder: step.holder },
    unblock: expedite(job, 'attempt', 'Does not wait for the worker: the job is cancelled at once.'),
  }
}

function dependency(job: JobRecord, id: string, other: JobRecord | null | undefined): Cause {
  const state = other?.state ?? null
  return {
    cause: 'dependency',
    message: `It waits for job ${id}${state === null ? '' : `, which is ${state}`}`,
    until: null,
    details: { job_id: id, state, if_it_fails: job.on_dependency_failure },
    unblock: expedite(
      job,
      'dependencies',
      `Starts without it; waybill why ${shellWord(id)} says what keeps that one.`,
    ),
  }
}

function delayed(job: JobRecord): Cause {
  return {
    cause: 'delay',
    message: `It is not to start before ${job.run_at}`,
    until: job.run_at,
    details: {},
    unblock: expedite(job, null, 'Starts it now.'),
  }
}

function gated(job: JobRecord, step: StepRecord): Cause {
  const gate = step.gate as StepGate
  return {
    cause: 'gate',
    message: `It stands at gate ${gate.name} before ${step.step_id}, until ${describe(gate)}`,
    until: gate.until,
    details: { gate: gate.name, step_id: step.step_id, since: gate.since },
    unblock: expedite(job, 'gate', 'Opens the gate for this job.'),
  }
}

function backoff(job: JobRecord, step: StepRecord): Cause {
  const { step_id, attempt_no, retry_at, last_error_code, last_error_message } = step
  return {
    cause: 'backoff',
    message: `Attempt ${attempt_no} at ${step_id} failed (${last_error_code}: ${last_error_message}); the next one starts at ${retry_at}`,
    until: retry_at,
    details: { step_id, attempt_no, error_code: last_error_code },
    unblock: expedite(job, null, 'Tries again now.'),
  }
}

function publishing(aggregate: JobAggregate, step: StepRecord): Cause {
  const { taken_until: until, outbox_id, tries } = rowOf(aggregate)
  return {
    cause: 'publishing',
    message: `Its directive is being published to ${step.service}, which has until ${until}`,
    until,
    details: { outbox_id, tries },
    unblock: expedite(aggregate.job, 'attempt', 'Gives this attempt up and dispatches the step anew.'),
  }
}

function publishBackoff(aggregate: JobAggregate, step: StepRecord): Cause {
  const row = rowOf(aggregate)
  const { next_try_at: until, outbox_id, tries, last_error_code: error_code } = row
  return {
    cause: 'publish_backoff',
    message: `Publishing to ${step.service} failed (${error_code}: ${row.last_error_message}); it is tried again at ${until}`,
    until,
    details: { outbox_id, tries, error_code },
    unblock: expedite(aggregate.job, null, 'Publishes it now.'),
  }
}

function awaitsAck(job: JobRecord, step: StepRecord): Cause {
  const { service, ack_deadline_at, step_id, attempt_no } = step
  return {
    cause: 'ack',
    message: `Step ${step_id} went out to ${service}, which has until ${ack_deadline_at} to say that it has it`,
    until: ack_deadline_at,
    details: { step_id, attempt_no, service },
    unblock: expedite(job, 'attempt', 'Gives this attempt up and dispatches the step anew.'),
  }
}

function leased(job: JobRecord, step: StepRecord): Cause {
  const { step_id, attempt_no, lease_expires_at, holder } = step
  if (isForPeople(step)) {
    return {
      cause: 'lease',
      message: `${holderOf(step)} has taken it on, and has until ${lease_expires_at}`,
      until: lease_expires_at,
      details: { step_id, attempt_no, holder },
      unblock: resolved(job),
    }
  }
  return {
    cause: 'lease',
    message: `${holderOf(step)} works on step ${step_id}, and has until ${lease_expires_at} for a result or a sign of life`,
    until: lease_expires_at,
    details: { step_id, attempt_no, holder },
    unblock: expedite(job, 'attempt', 'Gives this attempt up: somebody else may take the step at once.'),
  }
}

function external(job: JobRecord, step: StepRecord): Cause {
  const details = { step_id: step.step_id, service: step.service }
  if (isForPeople(step)) {
    const message = 'It waits for a person, who has not said yet how it ended'
    return { cause: 'external', message, until: job.expires_at, details, unblock: resolved(job) }
  }
  return {
    cause: 'external',
    message: `Step ${step.step_id} is run by another scheduler (${step.service}), which has not reported it yet`,
    until: job.expires_at,
    details,
    unblock: unblockBy(job, { verb: 'cancel' }, 'Ends the job; only its scheduler can go on with it.'),
  }
}

function isForPeople({ service }: StepRecord): boolean {
  return service === HUMAN_LANE
}

function resolved(job: JobRecord): Unblock {
  return {
    command: `${commandOn(job, 'jobs resolve', job.job_id)} --done`,
    effect: 'Says that the work is done; --failed says that it could not be, --note why.',
    does: null,
  }
}

/** The other scheduler is between two stages. */
function nextStage(job: JobRecord, steps: readonly StepRecord[]): Cause {
  const { service } = steps[0] as StepRecord
  return {
    cause: 'external',
    message: `Stage ${job.current_step_id} is done, and the scheduler that runs it (${service}) has until ${job.report_by} to say how it goes on`,
    until: job.report_by,
    details: { step_id: job.current_step_id, service },
    unblock: unblockBy(job, { verb: 'cancel' }, 'Ends the job; only its scheduler can go on with it.'),
  }
}

/** Whoever is at work has a name: a worker's, or that of the service. */
function holderOf({ holder }: StepRecord): string {
  return holder as string
}

function rowOf(aggregate: JobAggregate): OutboxRecord {
  return present(currentRow(aggregate), 'what is being published is open')
}
