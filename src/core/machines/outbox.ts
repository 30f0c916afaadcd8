import { defineMachine, type StateOf } from '../machine.ts'

/** One directive to publish. `SENT` is written only after the publish succeeded. */
export const outboxMachine = defineMachine({
  name: 'outbox',
  initial: 'PENDING',
  states: {
    PENDING: { about: 'To be published', tone: 'waiting', to: ['SENT', 'FAILED_FINAL'] },
    SENT: { about: 'Published', tone: 'good', to: [], terminal: true },
    FAILED_FINAL: {
      about: 'Could not be published, or no longer needed',
      tone: 'bad',
      to: [],
      terminal: true,
    },
  },
})

export type OutboxState = StateOf<typeof outboxMachine>
