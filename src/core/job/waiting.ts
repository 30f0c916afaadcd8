import { isOpenRow, type JobAggregate } from '../aggregate.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { stepMachine } from '../machines/step.ts'
import { fromIso, MINUTE_MS, toIso } from '../time.ts'
import { jobsAmong } from './ended-topic.ts'
import { slotKey } from './limits.ts'
import { type Delivery, NO_LIMITS, PUSHED } from './protocol.ts'
import type { JobRecord, OutboxRecord, Ready, StepGate, StepRecord } from './record.ts'

/**
 * The one thing a job waits for at a given time. Timers, ready work and explanations all come from this answer, so
 * they cannot disagree.
 *
 * - `nothing`: it has ended (or is about to be finished by `advance`).
 * - `dependency`: other jobs. `delay`: its `run_at`.
 * - `gate`: something to come true. `report`: another scheduler, that has its next stage to report.
 * - `claim`: a worker, or for a pushed step with limits a dispatcher, that takes the step.
 * - `backoff`: the wait before the next attempt.
 * - `publish`: a dispatcher that takes the outbox row. `publishing`: one has it. `publish_backoff`: it failed.
 * - `ack`: the acknowledgement. `lease`: the result, or the end of the lease.
 */
export interface Wait {
  readonly cause: WaitCause
  /** When it ends by itself; null when only somebody else can end it. */
  readonly until: string | null
}

type WaitCause =
  | 'nothing'
  | 'dependency'
  | 'delay'
  | 'gate'
  | 'report'
  | 'claim'
  | 'backoff'
  | 'publish'
  | 'publishing'
  | 'publish_backoff'
  | 'ack'
  | 'lease'

const NOTHING: Wait = { cause: 'nothing', until: null }
const CLAIM: Wait = { cause: 'claim', until: null }

export function waitOf(aggregate: JobAggregate, now: number): Wait {
  const { job } = aggregate
  const step = activeStep(aggregate.steps)
  if (isTerminal(jobMachine, job.state)) return NOTHING
  if (step === undefined) return job.report_by === null ? NOTHING : { cause: 'report', until: job.report_by }
  // Once an attempt has begun, somebody let it: a crash may have left the job without that.
  const isUntouched = step.state === 'PENDING'
  if (isUntouched && waitsForJobs(job)) return { cause: 'dependency', until: null }
  if (isUntouched && isAhead(job.run_at, now)) return { cause: 'delay', until: job.run_at }
  if (isUntouched && isShut(step.gate)) return { cause: 'gate', until: gateDue(step.gate) }
  switch (step.state) {
    case 'FAILED_RETRY':
      return isAhead(step.retry_at, now) ? { cause: 'backoff', until: step.retry_at } : CLAIM
    case 'DISPATCHING':
      return waitOfRow(currentRow(aggregate), now)
    case 'AWAITING_ACK':
      return { cause: 'ack', until: step.ack_deadline_at }
    case 'IN_PROGRESS':
      return { cause: 'lease', until: step.lease_expires_at }
    default:
      return CLAIM
  }
}

function waitsForJobs({ waits_for }: JobRecord): boolean {
  return waits_for.length > 0 && jobsAmong(waits_for).length > 0
}

/** The code of steps that a gate passed over: they did not fail. */
export const GATE = 'GATE'

function isShut(gate: StepGate | null): gate is StepGate {
  return gate !== null && gate.opened_at === null
}

/** Somebody has to look at it at once; after that it opens by what others do, or its time runs out. */
function gateDue(gate: StepGate): string | null {
  return gate.since !== null && !gate.looked ? gate.since : gate.until
}

/** The lowest step that has not ended. */
export function activeStep(steps: readonly StepRecord[]): StepRecord | undefined {
  for (const step of steps) if (!isTerminal(stepMachine, step.state)) return step
  return undefined
}

/** The open row of the attempt that is being dispatched. */
export function currentRow({ steps, outbox }: JobAggregate): OutboxRecord | undefined {
  const step = activeStep(steps)
  if (step?.state !== 'DISPATCHING') return undefined
  return outbox.find((row) => isOpenRow(row) && row.lease_id === step.lease_id)
}

function waitOfRow(row: OutboxRecord | undefined, now: number): Wait {
  if (row !== undefined && row.taken_until !== null) return { cause: 'publishing', until: row.taken_until }
  if (row !== undefined && isAhead(row.next_try_at, now)) {
    return { cause: 'publish_backoff', until: row.next_try_at }
  }
  return { cause: 'publish', until: null }
}

/** Its attempt was let through all limits: what is left is to publish its directive once more. */
export function isBegun(aggregate: JobAggregate): boolean {
  const row = currentRow(aggregate)
  return row !== undefined && row.tries > 0
}

export function isAhead(at: string | null, now: number): boolean {
  return at !== null && at > toIso(now)
}

/** Waits that `expires_at` ends. The others end by themselves, or are work that has begun. */
function mayExpire(wait: Wait): boolean {
  return (
    wait.cause === 'dependency' ||
    wait.cause === 'delay' ||
    wait.cause === 'gate' ||
    wait.cause === 'claim' ||
    wait.cause === 'publish'
  )
}

export function isExpired({ expires_at }: JobRecord, wait: Wait, now: number): boolean {
  return expires_at !== null && mayExpire(wait) && !isAhead(expires_at, now)
}

export function dueOf({ job }: JobAggregate, wait: Wait): string | null {
  const expires = mayExpire(wait) ? job.expires_at : null
  if (wait.until === null) return expires
  return expires !== null && expires < wait.until ? expires : wait.until
}

/** Each level of priority is worth so much waiting: urgent work goes first, and nothing waits for ever. */
export const PRIORITY_STEP_MS = 15 * MINUTE_MS

export function readyOf(aggregate: JobAggregate, { cause }: Wait): Ready | null {
  if (cause !== 'claim' && cause !== 'publish') return null
  const step = activeStep(aggregate.steps) as StepRecord
  if (step.delivery === 'external') return null
  const passes = aggregate.job.unlimited || isBegun(aggregate)
  // A row to publish holds the slots of its step already; those of its queue it takes when it is first taken.
  const limits = cause === 'claim' && !passes ? step.limits : NO_LIMITS
  const ready = {
    queue: queueOf(step.queue, step.delivery),
    group: limits.length === 0 ? '' : limits.map(slotKey).join(' '),
    rank: rankOf(aggregate.job),
    limits,
  }
  return passes ? { ...ready, unlimited: true } : ready
}

export function sameReady(a: Ready | null, b: Ready | null): boolean {
  return (
    a === b ||
    (a !== null &&
      b !== null &&
      a.queue === b.queue &&
      a.group === b.group &&
      a.rank === b.rank &&
      a.unlimited === b.unlimited)
  )
}

/** Workers and dispatchers look in different places, though a service may go by one name. */
export function queueOf(queue: string, delivery: Delivery): string {
  return delivery === 'push' ? `${PUSHED}${queue}` : queue
}

function rankOf(job: JobRecord): number {
  return rankAt(fromIso(job.run_at ?? job.created_at), job.priority)
}

/** Of a job that may be taken from a time on. */
export function rankAt(from: number, priority: number): number {
  return from + priority * PRIORITY_STEP_MS
}
