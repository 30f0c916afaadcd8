import { defineMachine, type StateOf } from '../machine.ts'

/** An access token. That its time is over is no state of it: nobody has to be there when it happens. */
export const tokenMachine = defineMachine({
  name: 'token',
  initial: 'active',
  states: {
    active: { about: 'Lets its bearer in, until it expires', tone: 'good', to: ['revoked'] },
    revoked: { about: 'Lets nobody in any more', tone: 'stopped', to: [], terminal: true },
  },
})

export type TokenState = StateOf<typeof tokenMachine>
