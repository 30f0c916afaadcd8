import { defineMachine, type StateOf } from '../machine.ts'

/** A run groups jobs that were started together and follows them. */
export const runMachine = defineMachine({
  name: 'run',
  initial: 'pending',
  states: {
    pending: { about: 'Created; no job has started', tone: 'waiting', to: ['running'] },
    running: { about: 'Jobs are being worked on', tone: 'busy', to: ['succeeded', 'failed', 'cancelled'] },
    succeeded: { about: 'Every job succeeded', tone: 'good', to: [], terminal: true },
    failed: { about: 'At least one job failed for good', tone: 'bad', to: [], terminal: true },
    cancelled: { about: 'Stopped on request', tone: 'stopped', to: [], terminal: true },
  },
})

export type RunState = StateOf<typeof runMachine>
