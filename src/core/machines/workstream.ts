import { defineMachine, type StateOf } from '../machine.ts'

/** A workstream is one line of work inside a run; it may wait for others. */
export const workstreamMachine = defineMachine({
  name: 'workstream',
  initial: 'pending',
  states: {
    pending: { about: 'Planned', to: ['ready', 'blocked', 'skipped'] },
    blocked: { about: 'Waits for another workstream', to: ['ready'] },
    ready: { about: 'May start', to: ['running', 'skipped'] },
    running: { about: 'Its jobs are being worked on', to: ['succeeded', 'failed'] },
    succeeded: { about: 'Every job succeeded', to: [], terminal: true },
    failed: { about: 'A job failed for good', to: [], terminal: true },
    skipped: { about: 'Deliberately left out', to: [], terminal: true },
  },
})

export type WorkstreamState = StateOf<typeof workstreamMachine>
