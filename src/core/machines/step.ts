import { defineMachine, type StateOf } from '../machine.ts'

/**
 * One step of a job. `DISPATCHING` and `AWAITING_ACK` have ways out that the published table lacks: an outbox row
 * that cannot be published, an acknowledgement that never comes on the last attempt, a lease that runs out.
 */
export const stepMachine = defineMachine({
  name: 'step',
  initial: 'PENDING',
  states: {
    PENDING: {
      about: 'Waiting for its turn, or for a worker',
      tone: 'waiting',
      to: ['DISPATCHING', 'CANCELLED'],
    },
    DISPATCHING: {
      about: 'Leased to an attempt; its directive is waiting to be published',
      tone: 'busy',
      to: ['AWAITING_ACK', 'FAILED_RETRY', 'FAILED_FINAL', 'CANCELLED'],
    },
    AWAITING_ACK: {
      about: 'Published; the worker has not answered yet',
      tone: 'busy',
      to: ['IN_PROGRESS', 'FAILED_RETRY', 'FAILED_FINAL', 'CANCELLED'],
    },
    IN_PROGRESS: {
      about: 'A worker holds the lease and works',
      tone: 'busy',
      to: ['SUCCEEDED', 'FAILED_FINAL', 'FAILED_RETRY', 'CANCELLED'],
    },
    FAILED_RETRY: {
      about: 'This attempt failed; the next one starts after the backoff',
      tone: 'retry',
      to: ['DISPATCHING', 'CANCELLED'],
      retry: true,
    },
    SUCCEEDED: { about: 'Done; its output is kept', tone: 'good', to: [], terminal: true },
    FAILED_FINAL: { about: 'Failed for good', tone: 'bad', to: [], terminal: true },
    CANCELLED: {
      about: 'Never finished: cancelled, expired or passed over',
      tone: 'stopped',
      to: [],
      terminal: true,
    },
  },
})

export type StepState = StateOf<typeof stepMachine>

/** A worker or service has the step, or is believed to. */
export const HANDED_OUT: readonly StepState[] = ['AWAITING_ACK', 'IN_PROGRESS']

/** An attempt has begun and is not over: whatever it took it holds. */
export function isUnderWay(state: StepState): boolean {
  return state === 'DISPATCHING' || HANDED_OUT.includes(state)
}
