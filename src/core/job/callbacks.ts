import { type Decision, refuse } from '../decision.ts'
import { isTerminal } from '../machine.ts'
import { stepMachine } from '../machines/step.ts'
import { beginWork, failAttempt, giveBack, renewLease, succeedStep } from './attempt.ts'
import type { CallbackAnswer, CallbackCommand, ReleaseStep, StepResult } from './commands.ts'
import type { JobDraft } from './draft.ts'
import { leaveAttempt } from './finish.ts'
import { overlaid } from './metadata.ts'
import { notFound } from './not-found.ts'
import type { StepRecord } from './record.ts'
import { settle } from './settle.ts'

/**
 * What workers say. A callback counts only with the attempt and lease of the step as it stands; one with another
 * is refused, one whose attempt has already ended is ignored. Both leave a trace and change nothing.
 */
export function decideCallback(draft: JobDraft, command: CallbackCommand): Decision<CallbackAnswer> {
  const step = draft.steps.find((candidate) => candidate.step_id === command.step_id)
  if (step === undefined) return notFound(command)
  if (step.attempt_no !== command.attempt_no || step.lease_id !== command.lease_id) {
    return refuseLease(draft, command, step)
  }
  if (isOver(step) || (command.type === 'ackStep' && step.state === 'IN_PROGRESS')) {
    draft.ignore(command.type, step)
    return draft.finish(answer('ignored', draft, step))
  }
  const working = step.state === 'IN_PROGRESS' ? step : beginWork(draft, step)
  // A worker that was told to stop and goes on has until the end of its lease, and no longer.
  if (command.type === 'heartbeatStep' && draft.job.state !== 'CANCELLING') {
    renewLease(draft, working)
  }
  if (command.type === 'releaseStep') {
    takeBack(draft, working, command)
    settle(draft)
  }
  if (command.type === 'reportResult') {
    takeResult(draft, working, command.result)
    settle(draft)
  }
  return draft.finish(answer('accepted', draft, draft.steps[step.step_index] as StepRecord))
}

function isOver(step: StepRecord): boolean {
  return isTerminal(stepMachine, step.state) || step.state === 'FAILED_RETRY'
}

/** While a job is being cancelled a failure is not retried: the worker stopped because it was told to. */
function takeResult(draft: JobDraft, step: StepRecord, result: StepResult): void {
  if (result.status === 'SUCCEEDED') {
    succeedStep(draft, step, result)
    return
  }
  // First, so that whoever takes over finds it.
  if (result.metadata !== undefined) draft.setJob({ metadata: overlaid(draft.job.metadata, result.metadata) })
  if (draft.job.state === 'CANCELLING') {
    leaveAttempt(draft, step, 'CANCELLED', {}, result.error)
  } else {
    failAttempt(draft, step, result.error, result.failure_class === 'RETRYABLE')
  }
  if (result.metadata !== undefined) draft.tell(step.step_index, result.metadata)
}

/** The worker stops before it is done, through no fault of the work. */
function takeBack(draft: JobDraft, step: StepRecord, { reason, error: given, delay_ms }: ReleaseStep): void {
  const error = given ?? { code: 'RELEASED', message: reason ?? 'Its worker gave it back' }
  if (draft.job.state === 'CANCELLING') leaveAttempt(draft, step, 'CANCELLED', {}, error)
  else giveBack(draft, step, error, delay_ms)
}

function answer(status: 'accepted' | 'ignored', draft: JobDraft, step: StepRecord): CallbackAnswer {
  const lost = status === 'ignored' && isOver(step) && step.state !== 'SUCCEEDED'
  return {
    status,
    cancel: lost || (draft.job.state === 'CANCELLING' && step.state === 'IN_PROGRESS'),
    lease_expires_at: step.lease_expires_at,
    job_state: draft.job.state,
    retry_at: step.state === 'FAILED_RETRY' ? step.retry_at : null,
  }
}

function refuseLease(draft: JobDraft, command: CallbackCommand, step: StepRecord): Decision<never> {
  const { job_id, step_id, attempt_no, lease_id } = command
  return refuse(
    {
      code: 'LEASE_MISMATCH',
      message: `Attempt ${attempt_no} with lease ${lease_id} does not hold step ${step_id} of job ${job_id}`,
      field: step.attempt_no === attempt_no ? 'lease_id' : 'attempt_no',
      next: 'Stop working on it: the step was handed to another attempt. Its new directive has the current lease.',
      details: { job_id, step_id, attempt_no, current_attempt_no: step.attempt_no, state: step.state },
    },
    draft.refusalEntry('LEASE_MISMATCH', command.type, step),
  )
}
