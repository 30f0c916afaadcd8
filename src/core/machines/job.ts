import { defineMachine, type StateOf } from '../machine.ts'

/**
 * A job: a request and the steps that answer it, one step at a time.
 *
 * Two edges go beyond the published table, because model checking it found waits without an end:
 * `DISPATCHING → FAILED_FINAL` (the first step used up its attempts before anybody acknowledged it) and
 * `QUEUED → FAILED_FINAL` (it expired while waiting, or a job it depends on failed).
 */
export const jobMachine = defineMachine({
  name: 'job',
  initial: 'QUEUED',
  states: {
    QUEUED: {
      about: 'Accepted; no step has been handed out yet',
      tone: 'waiting',
      to: ['DISPATCHING', 'CANCELLING', 'FAILED_FINAL'],
    },
    DISPATCHING: {
      about: 'The first step is on its way to a worker',
      tone: 'busy',
      to: ['IN_PROGRESS', 'CANCELLING', 'FAILED_FINAL'],
    },
    IN_PROGRESS: {
      about: 'Steps are being worked on, one after the other',
      tone: 'busy',
      to: ['IN_PROGRESS', 'SUCCEEDED', 'FAILED_FINAL', 'CANCELLING'],
    },
    CANCELLING: {
      about: 'Cancel was asked for; the running step was told to stop',
      tone: 'stopped',
      to: ['CANCELLED'],
    },
    SUCCEEDED: { about: 'Every step succeeded', tone: 'good', to: [], terminal: true },
    FAILED_FINAL: {
      about: 'A step failed for good, or the job expired',
      tone: 'bad',
      to: [],
      terminal: true,
    },
    CANCELLED: { about: 'Stopped on request', tone: 'stopped', to: [], terminal: true },
  },
})

export type JobState = StateOf<typeof jobMachine>

/** Somebody wanted it ended, and it is, or is about to be. */
export function isCancelled({ state }: { readonly state: JobState }): boolean {
  return state === 'CANCELLING' || state === 'CANCELLED'
}
