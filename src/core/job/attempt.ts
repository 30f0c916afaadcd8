import { crc32 } from 'node:zlib'
import { backoffMs } from '../backoff.ts'
import type { Json } from '../json.ts'
import type { StepError } from './commands.ts'
import type { JobDraft } from './draft.ts'
import { catchUp, endJob, leaveAttempt } from './finish.ts'
import { policyOf } from './protocol.ts'
import type { OutboxRecord, Ref, StepRecord } from './record.ts'

/** The directive is out: from now on the acknowledgement is awaited. */
export function markSent(draft: JobDraft, row: OutboxRecord, step: StepRecord): StepRecord {
  draft.moveRow(row, 'SENT', { sent_at: draft.at })
  return awaitAck(draft, step)
}

function awaitAck(draft: JobDraft, step: StepRecord): StepRecord {
  return draft.moveStep(step.step_index, 'AWAITING_ACK', {
    ack_deadline_at: draft.after(policyOf(step, 'ack_timeout_ms')),
  })
}

/** The worker has it: also when its answer overtook the note that the directive was sent. */
export function beginWork(draft: JobDraft, step: StepRecord): StepRecord {
  let current = step
  if (current.state === 'DISPATCHING') {
    const row = draft.currentRow
    current = row === undefined ? awaitAck(draft, current) : markSent(draft, row, current)
  }
  catchUp(draft)
  return draft.moveStep(current.step_index, 'IN_PROGRESS', {
    ack_deadline_at: null,
    lease_expires_at: draft.after(policyOf(current, 'lease_ms')),
  })
}

export function succeedStep(
  draft: JobDraft,
  step: StepRecord,
  output: Json,
  result_ref: Ref | undefined,
): void {
  leaveAttempt(draft, step, 'SUCCEEDED', { output, result_ref: result_ref ?? null })
}

/** The attempt is over without success: another one after the backoff, or the end of step and job. */
export function failAttempt(draft: JobDraft, step: StepRecord, error: StepError, retryable: boolean): void {
  if (retryable && step.attempt_no < policyOf(step, 'max_attempts')) {
    const wait = backoffMs(policyOf(step, 'backoff'), step.attempt_no, chanceOf(step.lease_id as string))
    leaveAttempt(draft, step, 'FAILED_RETRY', { retry_at: draft.after(wait), holder: null }, error)
    return
  }
  leaveAttempt(draft, step, 'FAILED_FINAL', {}, error)
  endJob(draft, 'FAILED_FINAL', error)
}

/** Jitter without dice: leases are random already, and replaying a history must give the same times. */
function chanceOf(lease_id: string): number {
  return crc32(lease_id) / 2 ** 32
}
