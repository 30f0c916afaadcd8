import type { JobAggregate } from '../aggregate.ts'
import { type Decision, type Given, need, refuse } from '../decision.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { present } from '../must.ts'
import { EVERYBODY } from '../queue/record.ts'
import { runAgain } from './again.ts'
import { beginWork, markSent } from './attempt.ts'
import { decideCallback } from './callbacks.ts'
import type {
  AdvanceJob,
  AnnotateJob,
  AnswerOf,
  CallbackAnswer,
  ClaimAnswer,
  JobCommand,
  RecordPublishFailure,
  RecordSent,
  SubmitJob,
} from './commands.ts'
import { awaitedJobs, loadJobs, resolveDependencies } from './dependencies.ts'
import { beginAttempt, dispatch, failPublish } from './dispatch.ts'
import { withDocument } from './document-moves.ts'
import { JobDraft } from './draft.ts'
import { needForEscalation } from './escalate.ts'
import { expedite } from './expedite.ts'
import { gatedDocument } from './gates.ts'
import { fullLimit, takeQueueLimits } from './limits.ts'
import { overlaid } from './metadata.ts'
import { notFound } from './not-found.ts'
import { type Limit, policyOf } from './protocol.ts'
import type { JobRecord, OutboxRecord, StepRecord } from './record.ts'
import { finishEnding, settle } from './settle.ts'
import { reportStage } from './stage-report.ts'
import { decideStride, learnStride } from './stride.ts'
import { decideSubmit } from './submit.ts'
import { taskOf } from './task.ts'
import { isBegun, isExpired, waitOf } from './waiting.ts'

/** Every rule about jobs is behind this one function. */
export function decideJob<C extends JobCommand>(command: C, given: Given): Decision<AnswerOf[C['type']]> {
  const decision =
    command.type === 'submitJob' ? decideSubmit(command, given) : decideExisting(command, given)
  // The union of decisions is the decision on the union; the compiler cannot see that each branch fits its command.
  return withDocument(decision, command, given) as Decision<never>
}

function decideExisting(command: Exclude<JobCommand, SubmitJob>, given: Given): Decision<unknown> {
  const { tenant_id, job_id } = command
  const aggregate = given.get('job', tenant_id, job_id)
  if (aggregate === undefined) return need([{ kind: 'job', tenant_id, id: job_id }])
  if (aggregate === null) return notFound(command)
  const stride = decideStride(aggregate, command, given)
  if (stride !== null) return stride
  const decision = decideOne(aggregate, command, given)
  learnStride(aggregate, command, given, decision)
  return decision
}

function decideOne(
  aggregate: JobAggregate,
  command: Exclude<JobCommand, SubmitJob>,
  given: Given,
): Decision<unknown> {
  const needed = needForEscalation(aggregate.job, given)
  if (needed !== null) return needed
  const draft = new JobDraft(aggregate, command, given)
  if (command.if_match !== undefined && command.if_match !== aggregate.job.etag) {
    return refuseStale(draft, command)
  }
  switch (command.type) {
    case 'advanceJob':
      return advance(draft, command)
    case 'claimStep':
      return claimStep(draft, command.actor)
    case 'takeOutbox':
      return takeOutbox(draft)
    case 'recordSent':
    case 'recordPublishFailure':
      return recordPublish(draft, command)
    case 'cancelJob':
      return cancel(draft)
    case 'expediteJob':
      return expedite(draft, command)
    case 'runAgain':
      return runAgain(draft, command)
    case 'annotateJob':
      return annotate(draft, command)
    case 'reportStage':
      return reportStage(draft, command)
    default:
      return decideCallback(draft, command)
  }
}

function advance(draft: JobDraft, command: AdvanceJob): Decision<JobRecord> {
  const { job, given } = draft
  if (awaitedJobs(job).length > 0) {
    const dependencies = loadJobs(given, command.tenant_id, awaitedJobs(job))
    if (!(dependencies instanceof Map)) return dependencies as Decision<never>
    resolveDependencies(draft, dependencies)
  }
  const doc_id = gatedDocument(draft.job, draft.active)
  if (doc_id !== null) {
    draft.document = given.get('document', command.tenant_id, doc_id)
    if (draft.document === undefined)
      return need([{ kind: 'document', tenant_id: command.tenant_id, id: doc_id }])
  }
  settle(draft)
  draft.reindex()
  return draft.finish(draft.job)
}

/** What has ended stays as it is; that something was said of it is told all the same. */
function annotate(draft: JobDraft, { metadata, event }: AnnotateJob): Decision<JobRecord> {
  const isOver = isTerminal(jobMachine, draft.job.state)
  if (isOver && Object.keys(metadata).length > 0) return refuseEnded(draft)
  draft.remark({ ...metadata, ...(event === null ? null : { ...event }) })
  if (!isOver) {
    draft.setJob({ metadata: overlaid(draft.job.metadata, metadata) })
    settle(draft)
  }
  draft.reindex()
  return draft.finish(draft.job)
}

/** Terminal and cancelling jobs stay as they are; asking again is harmless. */
function cancel(draft: JobDraft): Decision<JobRecord> {
  finishEnding(draft)
  if (draft.job.state === 'CANCELLING' || isTerminal(jobMachine, draft.job.state)) {
    draft.ignore('cancelJob', draft.job)
  } else {
    draft.moveJob('CANCELLING')
    settle(draft)
  }
  return draft.finish(draft.job)
}

function claimStep(draft: JobDraft, worker: string): Decision<ClaimAnswer> {
  const step = waitingStep(draft)
  if (step === undefined || step.delivery === 'push') return refuseTaking(draft, 'NOT_CLAIMABLE')
  const queue = draft.given.get('queue', EVERYBODY, step.queue)
  if (queue === undefined) return needQueue(step)
  if (queue?.state === 'paused') return refusePaused(draft, step)
  const full = fullLimit(draft, step, queue)
  if (full !== undefined) return refuseLimit(draft, full)
  const begun = beginWork(draft, beginAttempt(draft, step, worker))
  takeQueueLimits(draft, begun, queue)
  const before = draft.steps[begun.step_index - 1]
  // The answer carries the job as it is written, so its index fields have to be there first.
  draft.reindex()
  const { job } = draft
  const taken = draft.steps[begun.step_index] as StepRecord
  return draft.finish({
    job,
    step: taken,
    previous: before?.output ?? null,
    previous_file: before?.output_file ?? null,
    task: taskOf(job, taken),
  })
}

function needQueue({ queue }: StepRecord): Decision<never> {
  return need([{ kind: 'queue', tenant_id: EVERYBODY, id: queue }])
}

/** Takes the row there is, or dispatches a step that waited for a slot and takes its row in the same commit. */
function takeOutbox(draft: JobDraft): Decision<OutboxRecord> {
  const step = waitingStep(draft)
  const waits = waitOn(draft)
  const toPublish = step?.delivery === 'push' ? step : waits === 'publish' ? draft.active : undefined
  if (toPublish === undefined) return refuseTaking(draft, 'NOTHING_TO_PUBLISH')
  const queue = draft.given.get('queue', EVERYBODY, toPublish.queue)
  if (queue === undefined) return needQueue(toPublish)
  if (queue?.state === 'paused') return refusePaused(draft, toPublish)
  const takesPlaces = !isBegun(draft)
  const full = takesPlaces ? fullLimit(draft, toPublish, queue) : undefined
  if (full !== undefined) return refuseLimit(draft, full)
  if (step !== undefined) dispatch(draft, step)
  const row = draft.currentRow
  // A crash may have left the step without its row; `advance` makes it again.
  if (row === undefined) return refuseTaking(draft, 'NOTHING_TO_PUBLISH')
  if (takesPlaces) takeQueueLimits(draft, stepOf(draft, row), queue)
  const timeout = policyOf(toPublish, 'publish_timeout_ms')
  const taken = draft.setRow(row, { tries: row.tries + 1, taken_until: draft.after(timeout) })
  return draft.finish(taken)
}

function recordPublish(
  draft: JobDraft,
  command: RecordSent | RecordPublishFailure,
): Decision<CallbackAnswer> {
  const row = draft.currentRow
  if (row?.outbox_id !== command.outbox_id || isOfEarlierTry(command, row)) {
    draft.ignore(command.type, draft.job)
    return draft.finish(publishAnswer('ignored', draft))
  }
  const step = stepOf(draft, row)
  if (command.type === 'recordPublishFailure') failPublish(draft, row, step, command.error)
  else markSent(draft, row, step)
  return draft.finish(publishAnswer('accepted', draft))
}

/** That one was over, and has counted as failed: the one that is under way may still come to something. */
function isOfEarlierTry(command: RecordSent | RecordPublishFailure, row: OutboxRecord): boolean {
  if (command.type === 'recordSent' || command.tries === undefined) return false
  return command.tries !== row.tries || row.taken_until === null
}

function publishAnswer(status: 'accepted' | 'ignored', draft: JobDraft): CallbackAnswer {
  const retry_at = draft.currentRow?.next_try_at ?? null
  return { status, cancel: false, lease_expires_at: null, job_state: draft.job.state, retry_at }
}

/** What it waits for; nothing when the wait is over and only the timer has not yet said so. */
function waitOn(draft: JobDraft) {
  const wait = waitOf(draft, draft.given.now)
  return isExpired(draft.job, wait, draft.given.now) ? 'nothing' : wait.cause
}

function waitingStep(draft: JobDraft): StepRecord | undefined {
  return waitOn(draft) === 'claim' && draft.job.state !== 'CANCELLING' ? draft.active : undefined
}

function stepOf(draft: JobDraft, row: OutboxRecord): StepRecord {
  return present(
    draft.steps.find((step) => step.step_id === row.step_id),
    'an outbox row belongs to a step',
  )
}

/** Losing a race for work is the ordinary case: said to the caller, not kept in the history. */
function refuseTaking(draft: JobDraft, code: 'NOT_CLAIMABLE' | 'NOTHING_TO_PUBLISH'): Decision<never> {
  const { job_id, state } = draft.job
  return refuse({
    code,
    message: `Job ${job_id} has nothing to take: it is ${state} and waits for ${waitOn(draft)}`,
    next: 'Take other work; this job is not waiting for a worker now.',
    details: { job_id, state, waits_for: waitOn(draft) },
  })
}

function refuseLimit(draft: JobDraft, { key, per_ms }: Limit): Decision<never> {
  const { job_id } = draft.job
  if (per_ms !== undefined) {
    return refuse({
      code: 'RATE_LIMIT',
      message: `Limit ${key} is used up for now`,
      next: `It starts by itself as soon as fewer were begun within ${per_ms} ms.`,
      details: { job_id, limit: key },
    })
  }
  return refuse({
    code: 'CONCURRENCY_LIMIT',
    message: `Limit ${key} is reached`,
    next: 'It starts by itself when another job under this limit ends; raise the limit to run more at once.',
    details: { job_id, limit: key },
  })
}

function refusePaused(draft: JobDraft, { queue }: StepRecord): Decision<never> {
  const { job_id } = draft.job
  return refuse({
    code: 'QUEUE_PAUSED',
    message: `Queue ${queue} is paused, and job ${job_id} waits in it`,
    next: `Resume the queue: waybill queue resume ${queue}`,
    details: { job_id, queue },
  })
}

function refuseEnded(draft: JobDraft): Decision<never> {
  const { job } = draft
  return refuse(
    {
      code: 'INVALID_STATE_TRANSITION',
      message: `Job ${job.job_id} is ${job.state}: what is known of it does not change any more`,
      field: 'metadata',
      next: 'Record an event instead, which is told beside it; or run it again as a new job.',
      details: { kind: 'job', id: job.job_id, from: job.state, to: job.state, legal: [] },
    },
    draft.refusalEntry('INVALID_STATE_TRANSITION', 'annotateJob', job),
  )
}

function refuseStale(draft: JobDraft, command: JobCommand): Decision<never> {
  const { job } = draft
  return refuse(
    {
      code: 'STALE_ETAG',
      message: `Job ${job.job_id} has changed since etag ${command.if_match} was read`,
      field: 'if_match',
      next: 'Read it again, look at what changed, and repeat the command with the new etag.',
      details: { job_id: job.job_id, etag: job.etag, state: job.state },
    },
    draft.refusalEntry('STALE_ETAG', command.type, job),
  )
}
