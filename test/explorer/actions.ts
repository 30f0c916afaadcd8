import type { JobCommand, Obstacle, SubmitJob } from '../../src/core/job/commands.ts'
import type { Protocol } from '../../src/core/job/protocol.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import type { QueueState } from '../../src/core/machines/queue.ts'
import { fromIso } from '../../src/core/time.ts'
import { addressed, type Lease, type SystemState, submit } from './job-system.ts'
import { stagedActions } from './staged-actions.ts'

/** Something that can happen next: time passes, or a command arrives, or both. */
export interface Action {
  readonly label: string
  readonly now: number
  readonly command: JobCommand | null
  /** Somebody pauses the queue, or resumes it. */
  readonly steer?: QueueState
  /** Somebody moves the document. */
  readonly document?: DocumentState
}

const TICK_MS = 25_000
/** Nothing, and each obstacle by itself. */
const IGNORED: readonly (readonly Obstacle[])[] = [[], ['limits'], ['attempt']]

const ERROR = { code: 'BOOM', message: 'it broke' }

/**
 * Everything that could happen in a state. Messages come once, twice, late, with another attempt's lease; timers
 * fire on time or after somebody else was quicker; nobody has to be on time.
 */
export function actionsIn(
  state: SystemState,
  protocol: Protocol,
  more?: Partial<SubmitJob>,
): readonly Action[] {
  const here = (label: string, command: JobCommand): Action => ({ label, now: state.now, command })
  const actions: Action[] = [
    { label: 'time passes', now: state.now + TICK_MS, command: null },
    here('submit again', submit(protocol, more)),
    here('advance', { ...addressed, type: 'advanceJob' }),
    here('claim', { ...addressed, type: 'claimStep' }),
    here('take', { ...addressed, type: 'takeOutbox' }),
    here('cancel', { ...addressed, type: 'cancelJob' }),
    here('stale cancel', { ...addressed, type: 'cancelJob', if_match: 'no such etag' }),
  ]
  for (const ignore of IGNORED) {
    const command = { ...addressed, type: 'expediteJob', priority: null, ignore } as const
    actions.push(here(`expedite ${ignore.join()}`, command))
  }
  if (state.queue !== null) {
    const steer = state.queue.state === 'paused' ? 'running' : 'paused'
    actions.push({ label: `queue ${steer}`, now: state.now, command: null, steer })
  }
  const due = state.aggregate?.job.due_at
  if (due && fromIso(due) > state.now) {
    const command = { ...addressed, type: 'advanceJob' } as const
    actions.push({ label: 'timer', now: fromIso(due), command })
  }
  for (const row of state.rows.slice(-2)) actions.push(...publishReports(row, here))
  for (const lease of lastLeases(state.leases)) actions.push(...callbacks(lease, here))
  actions.push(...stagedActions(state, here))
  return actions
}

function publishReports(outbox_id: string, here: (label: string, command: JobCommand) => Action) {
  return [
    here(`sent ${outbox_id}`, { ...addressed, type: 'recordSent', outbox_id }),
    here(`publish failed ${outbox_id}`, {
      ...addressed,
      type: 'recordPublishFailure',
      outbox_id,
      error: ERROR,
    }),
  ]
}

/** The newest two of each step, and one that never was. */
function lastLeases(leases: readonly Lease[]): readonly Lease[] {
  const steps = [...new Set(leases.map((lease) => lease.step_id))]
  const known = steps.flatMap((step) => leases.filter((lease) => lease.step_id === step).slice(-2))
  return [...known, { step_id: 's0', attempt_no: 1, lease_id: 'forged' }]
}

function callbacks(lease: Lease, here: (label: string, command: JobCommand) => Action) {
  const to = { ...addressed, ...lease }
  const name = `${lease.step_id}#${lease.attempt_no}${lease.lease_id === 'forged' ? ' forged' : ''}`
  const failed = (failure_class: 'RETRYABLE' | 'NON_RETRYABLE') =>
    ({ ...to, type: 'reportResult', result: { status: 'FAILED', failure_class, error: ERROR } }) as const
  return [
    here(`ack ${name}`, { ...to, type: 'ackStep' }),
    here(`give back ${name}`, { ...to, type: 'releaseStep' }),
    here(`heartbeat ${name}`, { ...to, type: 'heartbeatStep' }),
    here(`succeeded ${name}`, { ...to, type: 'reportResult', result: { status: 'SUCCEEDED', output: 1 } }),
    here(`failed ${name}`, failed('RETRYABLE')),
    here(`failed for good ${name}`, failed('NON_RETRYABLE')),
  ]
}
