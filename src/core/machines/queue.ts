import { defineMachine, type StateOf } from '../machine.ts'

/** A queue that somebody has steered; one that nobody ever did is simply running. An edge to itself is a new limit. */
export const queueMachine = defineMachine({
  name: 'queue',
  initial: 'running',
  states: {
    running: { about: 'Work is handed out, within its limits', tone: 'busy', to: ['running', 'paused'] },
    paused: {
      about: 'Nothing new is handed out until somebody resumes it',
      tone: 'stopped',
      to: ['running', 'paused'],
    },
  },
})

export type QueueState = StateOf<typeof queueMachine>
