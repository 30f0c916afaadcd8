import { defineMachine, type StateOf } from '../machine.ts'

/**
 * A document on its way through ingestion. Working states (`…ing`) are left for their done state, for `failed` or
 * for `retrying`; done states wait for the next stage to pick the document up.
 */
export const documentMachine = defineMachine({
  name: 'document',
  initial: 'pending',
  states: {
    pending: { about: 'Known, not started', tone: 'waiting', to: ['fetching', 'skipped'] },
    fetching: {
      about: 'Being downloaded from its source',
      tone: 'busy',
      to: ['fetched', 'failed', 'retrying'],
    },
    fetched: { about: 'Downloaded, waiting to be parsed', tone: 'waiting', to: ['parsing', 'failed'] },
    parsing: { about: 'Being parsed', tone: 'busy', to: ['parsed', 'failed', 'retrying'] },
    parsed: { about: 'Parsed, waiting to be validated', tone: 'waiting', to: ['validating', 'failed'] },
    validating: {
      about: 'Being checked against its schema',
      tone: 'busy',
      to: ['validated', 'failed', 'retrying'],
    },
    validated: {
      about: 'Valid, waiting for its intermediate form',
      tone: 'waiting',
      to: ['ir_building', 'failed'],
    },
    ir_building: {
      about: 'Its intermediate form is being built',
      tone: 'busy',
      to: ['ir_ready', 'failed', 'retrying'],
    },
    ir_ready: { about: 'Intermediate form ready', tone: 'waiting', to: ['embedding', 'failed', 'completed'] },
    embedding: { about: 'Being embedded', tone: 'busy', to: ['indexed', 'failed', 'retrying', 'completed'] },
    indexed: { about: 'Embedded and indexed', tone: 'waiting', to: ['completed', 'failed'] },
    completed: { about: 'Done', tone: 'good', to: [], terminal: true },
    failed: {
      about: 'Gave up; retrying is the explicit way back',
      tone: 'bad',
      to: ['retrying'],
      terminal: true,
    },
    retrying: {
      about: 'Failed, about to be tried again',
      tone: 'retry',
      to: ['fetching', 'parsing', 'validating', 'ir_building', 'embedding', 'failed'],
      retry: true,
    },
    skipped: { about: 'Deliberately not processed', tone: 'stopped', to: [], terminal: true },
    legacy: {
      about: 'Came from an old log with a state nobody maps',
      tone: 'waiting',
      to: [
        'pending',
        'fetching',
        'fetched',
        'parsing',
        'parsed',
        'validating',
        'validated',
        'ir_building',
        'ir_ready',
        'embedding',
        'indexed',
        'completed',
        'failed',
        'retrying',
        'skipped',
      ],
    },
  },
})

export type DocumentState = StateOf<typeof documentMachine>
