import { backoffMs } from '../backoff.ts'
import { crc32 } from '../crc32.ts'
import type { Json, JsonObject } from '../json.ts'
import { fromIso, toIso } from '../time.ts'
import type { StepError } from './commands.ts'
import type { JobDraft } from './draft.ts'
import { catchUp, endJob, leaveAttempt } from './finish.ts'
import { countOutputs, overlaid, stageMetadata } from './metadata.ts'
import { awaitReport } from './open-ended.ts'
import { attemptsLeft, policyOf } from './protocol.ts'
import type { OutboxRecord, OutputFile, Ref, StepRecord } from './record.ts'

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
  const lease = Math.min(policyOf(current, 'lease_ms'), policyOf(current, 'timeout_ms'))
  return draft.moveStep(current.step_index, 'IN_PROGRESS', {
    ack_deadline_at: null,
    lease_expires_at: draft.after(lease),
  })
}

/** Its worker is still at it. A lease is made longer, but never longer than the attempt may take. */
export function renewLease(draft: JobDraft, step: StepRecord): void {
  const latest = timeoutAt(step)
  const lease = draft.given.now + policyOf(step, 'lease_ms')
  draft.setStep(step.step_index, { lease_expires_at: toIso(Math.min(lease, latest)) })
}

/** When an attempt has been at work for as long as it may. */
function timeoutAt(step: StepRecord): number {
  return fromIso(step.state_since) + policyOf(step, 'timeout_ms')
}

/** The lease ran out: its holder fell silent, or took too long. */
export function loseLease(draft: JobDraft, step: StepRecord): void {
  // The lease itself tells, not the time at which somebody notices: that may be long after either.
  const isOvertime = fromIso(step.lease_expires_at as string) >= timeoutAt(step)
  const error = isOvertime
    ? { code: 'TIMEOUT', message: `Not done within ${policyOf(step, 'timeout_ms')} ms` }
    : { code: 'LEASE_EXPIRED', message: `No result or heartbeat by ${step.lease_expires_at}` }
  // Nobody here would try again what is not ours to run.
  failAttempt(draft, step, error, step.delivery !== 'external')
}

/** More often than this, an attempt that is given back counts like any other. */
const MOST_RELEASES = 100

/** The attempt is over before it came to anything: the next one may start at once, and as many are left as before. */
export function giveBack(draft: JobDraft, step: StepRecord, error: StepError, delayMs = 0): void {
  if (step.released >= MOST_RELEASES) {
    failAttempt(draft, step, error, true)
    return
  }
  const patch = { released: step.released + 1, retry_at: draft.after(delayMs), holder: null }
  leaveAttempt(draft, step, 'FAILED_RETRY', patch, error)
}

/** What a step came to; a large output is in a file. */
export interface Outcome {
  readonly output?: Json
  readonly output_file?: OutputFile
  readonly output_ref?: Ref
  readonly output_count?: number
  readonly metadata?: JsonObject
  /** What another scheduler counted, where it did. */
  readonly attempts?: number
  readonly duration_ms?: number
}

export function succeedStep(draft: JobDraft, step: StepRecord, outcome: Outcome): void {
  const { output = null, output_file = null, output_ref = null } = outcome
  leaveAttempt(draft, step, 'SUCCEEDED', { output, output_file, result_ref: output_ref })
  const isStage = draft.job.pipeline_name !== null || step.delivery === 'external'
  noteOutcome(
    draft,
    step,
    isStage ? { ...stageOf(draft, step, outcome), ...outcome.metadata } : outcome.metadata,
  )
  awaitReport(draft)
}

/** What is known of an attempt stays with the job, and is told in the history. */
function noteOutcome(draft: JobDraft, step: StepRecord, metadata: JsonObject | undefined): void {
  if (metadata === undefined) return
  draft.setJob({ metadata: overlaid(draft.job.metadata, metadata) })
  draft.tell(step.step_index, metadata)
}

function stageOf(draft: JobDraft, step: StepRecord, outcome: Outcome): JsonObject {
  return stageMetadata({
    step_id: step.step_id,
    attempts: outcome.attempts ?? step.attempt_no - step.released,
    output_count: outcome.output_count ?? countOutputs(outcome.output ?? null),
    duration_ms: outcome.duration_ms ?? draft.given.now - fromIso(step.state_since),
    completed_at: draft.at,
  })
}

/** The attempt is over without success: another one after the backoff, or the end of step and job. */
export function failAttempt(draft: JobDraft, step: StepRecord, error: StepError, retryable: boolean): void {
  if (retryable && attemptsLeft(step) > 0) {
    const nth = step.attempt_no - step.released
    const wait = backoffMs(policyOf(step, 'backoff'), nth, chanceOf(step.lease_id as string))
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
