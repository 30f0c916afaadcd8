import { defineMachine, type StateOf } from '../machine.ts'

/** A workstream is one line of work inside a run; it may wait for others. */
export const workstreamMachine = defineMachine({
  name: 'workstream',
  initial: 'pending',
  states: {
    pending: { about: 'Planned', tone: 'waiting', to: ['ready', 'blocked', 'skipped'] },
    blocked: { about: 'Waits for another workstream', tone: 'waiting', to: ['ready'] },
    ready: { about: 'May start', tone: 'waiting', to: ['running', 'skipped'] },
    running: { about: 'Its jobs are being worked on', tone: 'busy', to: ['succeeded', 'failed'] },
    succeeded: { about: 'Every job succeeded', tone: 'good', to: [], terminal: true },
    failed: { about: 'A job failed for good', tone: 'bad', to: [], terminal: true },
    skipped: { about: 'Deliberately left out', tone: 'stopped', to: [], terminal: true },
  },
})

export type WorkstreamState = StateOf<typeof workstreamMachine>
