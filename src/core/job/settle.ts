import { isOpenRow } from '../aggregate.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { must, present } from '../must.ts'
import { failAttempt, loseLease } from './attempt.ts'
import { addOutboxRow, dispatch, failPublish } from './dispatch.ts'
import type { JobDraft } from './draft.ts'
import { catchUp, endJob, endLike, errorOf } from './finish.ts'
import { goOnPassing, settleGate } from './gates.ts'
import type { OutboxRecord, StepGate, StepRecord } from './record.ts'
import { GATE, isAhead, isExpired, type Wait, waitOf } from './waiting.ts'

/** More rounds than any job can need: each ends a step, an attempt or the job. */
const MAX_ROUNDS = 1000

/**
 * Does whatever is due on a job, until nothing is. This is what timers call, what every command ends with, and
 * the whole of repair after a crash: a job that was left half-written is simply one with something due.
 */
export function settle(draft: JobDraft): void {
  let rounds = 0
  while (settleOnce(draft)) must(++rounds < MAX_ROUNDS, 'a job settles')
  for (const child of draft.children) settle(child)
}

/** A crash may have left one that has ended but for its job, and whose work is somebody else's by now. */
export function finishEnding(draft: JobDraft): void {
  const isOver = draft.job.state === 'CANCELLING' ? draft.active === undefined : draft.steps.some(cutShort)
  if (isOver) settle(draft)
}

function settleOnce(draft: JobDraft): boolean {
  if (isTerminal(jobMachine, draft.job.state)) return false
  const orphan =
    draft.outbox.length === 0
      ? undefined
      : draft.outbox.find((row) => isOpenRow(row) && row !== draft.currentRow)
  if (orphan !== undefined) return closeOrphan(draft, orphan)
  const step = draft.active
  if (draft.job.state === 'CANCELLING') return settleCancelling(draft, step)
  const failed = draft.steps.find(cutShort)
  if (failed !== undefined) {
    endLike(draft, failed)
    return true
  }
  if (step === undefined) return settleDone(draft)
  if (goOnPassing(draft, step)) return true
  if (step.step_index > draft.job.current_step_index) {
    catchUp(draft)
    draft.moveJob('IN_PROGRESS', { current_step_id: step.step_id, current_step_index: step.step_index })
    return true
  }
  return followStep(draft, step) || settleStep(draft, step)
}

/** Every step has ended; another scheduler may have more to come. */
function settleDone(draft: JobDraft): boolean {
  const { report_by } = draft.job
  catchUp(draft)
  if (isAhead(report_by, draft.given.now)) return false
  if (report_by === null) endJob(draft, 'SUCCEEDED')
  else
    endJob(draft, 'FAILED_FINAL', { code: 'LEASE_EXPIRED', message: `No stage was reported by ${report_by}` })
  return true
}

/** A crash may leave the job behind the step it is at. */
function followStep(draft: JobDraft, step: StepRecord): boolean {
  const { state } = draft.job
  if (state === 'QUEUED' && step.state !== 'PENDING') draft.moveJob('DISPATCHING')
  else if (state === 'DISPATCHING' && step.state === 'IN_PROGRESS') draft.moveJob('IN_PROGRESS')
  else return false
  return true
}

const SUPERSEDED = { code: 'SUPERSEDED', message: 'Its attempt is over' }

/** A row whose step has moved on without it: the step decides what became of the row. */
function closeOrphan(draft: JobDraft, row: OutboxRecord): boolean {
  const step = draft.steps.find((candidate) => candidate.lease_id === row.lease_id)
  const sent = step?.state === 'AWAITING_ACK' || step?.state === 'IN_PROGRESS' || step?.state === 'SUCCEEDED'
  if (sent) draft.moveRow(row, 'SENT', { sent_at: draft.at })
  else draft.moveRow(row, 'FAILED_FINAL', {}, step === undefined ? SUPERSEDED : errorOf(step))
  return true
}

/** Failed, or closed because its job failed. */
function cutShort({ state, last_error_code }: StepRecord): boolean {
  if (state === 'FAILED_FINAL') return true
  return state === 'CANCELLED' && last_error_code !== null && last_error_code !== GATE
}

function settleCancelling(draft: JobDraft, step: StepRecord | undefined): boolean {
  if (step?.state === 'IN_PROGRESS' && isAhead(step.lease_expires_at, draft.given.now)) return false
  endJob(draft, 'CANCELLED')
  return true
}

function settleStep(draft: JobDraft, step: StepRecord): boolean {
  const { job, given } = draft
  const wait = waitOf(draft, given.now)
  if (isExpired(job, wait, given.now)) {
    const message = `Nothing took it up before ${job.expires_at}`
    endJob(draft, 'FAILED_FINAL', { code: 'EXPIRED', message })
    return true
  }
  if (wait.cause === 'gate') return settleGate(draft, step, step.gate as StepGate)
  if (wait.cause === 'claim' && step.delivery === 'push' && step.limits.length === 0) {
    dispatch(draft, step)
    return true
  }
  if (wait.cause === 'publish' && draft.currentRow === undefined) {
    addOutboxRow(draft, step)
    return true
  }
  return timeOut(draft, step, wait)
}

/** Only three waits run out and do harm; the others simply end. */
function timeOut(draft: JobDraft, step: StepRecord, wait: Wait): boolean {
  if (wait.until === null || isAhead(wait.until, draft.given.now)) return false
  if (wait.cause === 'publishing') {
    const message = `The dispatcher did not say by ${wait.until} how the publish went`
    failPublish(draft, present(draft.currentRow, 'a row being published is open'), step, {
      code: 'PUBLISH_TIMEOUT',
      message,
    })
  } else if (wait.cause === 'ack') {
    failAttempt(draft, step, { code: 'ACK_TIMEOUT', message: `No ACK by ${wait.until}` }, true)
  } else {
    loseLease(draft, step)
  }
  return true
}
