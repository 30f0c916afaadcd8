import { isOpenRow } from '../aggregate.ts'
import { isTerminal } from '../machine.ts'
import { stepMachine } from '../machines/step.ts'
import type { StepError } from './commands.ts'
import type { JobDraft } from './draft.ts'
import { endedTopic } from './ended-topic.ts'
import { escalate } from './escalate.ts'
import { IN_FLIGHT, releaseLimits } from './limits.ts'
import { ON_REQUEST } from './on-request.ts'
import type { StepRecord } from './record.ts'

/**
 * Ends a job: whatever is still open in it is closed in the same commit, what it held is released, and those who
 * waited for it are told. The steps it cuts short say why, so that the ending can be finished from them alone.
 */
export function endJob(
  draft: JobDraft,
  state: 'SUCCEEDED' | 'FAILED_FINAL' | 'CANCELLED',
  error?: StepError,
) {
  const why = error ?? ON_REQUEST
  for (const row of draft.outbox.filter(isOpenRow)) draft.moveRow(row, 'FAILED_FINAL', {}, why)
  for (const step of draft.steps) {
    if (!isTerminal(stepMachine, step.state)) leaveAttempt(draft, step, 'CANCELLED', {}, why)
  }
  const { tenant_id, job_id } = draft.job
  draft.slot({ tenant_id, key: IN_FLIGHT, verb: 'release', owner: job_id })
  draft.signal({ tenant_id, topic: endedTopic(job_id) })
  if (state === 'FAILED_FINAL') escalate(draft, why)
  const failed = error && { error_code: error.code, error_message: error.message }
  draft.moveJob(state, { ...failed, waits_for: [], report_by: null }, error)
}

/** Finishes the ending of a job whose steps, but not the job itself, were written before a crash. */
export function endLike(draft: JobDraft, step: StepRecord): void {
  const error = errorOf(step)
  if (step.state === 'FAILED_FINAL' || error.code !== ON_REQUEST.code) {
    endJob(draft, 'FAILED_FINAL', error)
  } else {
    draft.moveJob('CANCELLING')
    endJob(draft, 'CANCELLED')
  }
}

/** Why the last attempt of a step ended. */
export function errorOf({ last_error_code, last_error_message }: StepRecord): StepError {
  return { code: last_error_code as string, message: last_error_message as string }
}

/** Takes a step out of its attempt: what the attempt held is given back, whatever the ending. */
export function leaveAttempt(
  draft: JobDraft,
  step: StepRecord,
  to: 'SUCCEEDED' | 'FAILED_RETRY' | 'FAILED_FINAL' | 'CANCELLED',
  patch: Partial<StepRecord>,
  error?: StepError,
): void {
  releaseLimits(draft, step)
  const left = { ...patch, queue_slot: false, ack_deadline_at: null, lease_expires_at: null }
  draft.moveStep(step.step_index, to, left, error)
}

/** A crash may leave the job behind its step: walk it through the states the step has already passed. */
export function catchUp(draft: JobDraft): void {
  if (draft.job.state === 'QUEUED') draft.moveJob('DISPATCHING')
  if (draft.job.state === 'DISPATCHING') draft.moveJob('IN_PROGRESS')
}
