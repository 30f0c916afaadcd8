import { defineMachine, type StateOf } from '../machine.ts'

/** A schedule submits a job whenever its time comes. An edge to itself is a job submitted, or new settings. */
export const scheduleMachine = defineMachine({
  name: 'schedule',
  initial: 'active',
  states: {
    active: {
      about: 'Submits a job whenever its time comes',
      tone: 'good',
      to: ['active', 'paused', 'removed'],
    },
    paused: {
      about: 'Submits nothing until somebody resumes it',
      tone: 'stopped',
      to: ['active', 'paused', 'removed'],
    },
    removed: { about: 'Taken away; it may be put back', tone: 'stopped', to: ['active'], terminal: true },
  },
})

export type ScheduleState = StateOf<typeof scheduleMachine>
