// Words that the server uses and the page has to know in their order. Types tie them to the server's own lists: a word that
// is missing or wrong does not compile.
import type { AuditEvent } from '../../../src/core/audit.ts'
import type { Level } from '../../../src/core/audit-level.ts'
import type { PRIORITIES as PRIORITIES_THERE } from '../../../src/core/job/record.ts'

/** The worst first, and what each means. */
export const LEVELS: { readonly [L in Level]: string } = {
  error: 'Something ended badly',
  warn: 'Refused, to be tried again, or something went wrong with it',
  info: 'Everything that went as it should',
  debug: 'Late or repeated, and nothing came of it',
}

export const LEVEL_NAMES = Object.keys(LEVELS) as readonly Level[]

/** What an entry of the history is about. */
export const EVENTS: { readonly [E in AuditEvent]: string } = {
  moved: 'The state changed',
  noted: 'Worth knowing, and did not change the state',
  refused: 'A rule said no',
  ignored: 'Late or repeated, harmless',
}

export const EVENT_NAMES = Object.keys(EVENTS) as readonly AuditEvent[]

/** A job has the place of its own in this list. */
export const PRIORITIES: typeof PRIORITIES_THERE = ['critical', 'high', 'normal', 'low']
