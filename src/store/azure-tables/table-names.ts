import type { AloneKind } from '../../core/aggregate.ts'

/** The tables, as any tool shows them; a prefix may stand before each. */
export const JOBS = 'Jobs'
export const STEPS = 'Steps'
export const OUTBOX = 'Outbox'
export const EVENTS = 'Events'
/** Who owns which key, and who has a place under which limit. */
export const IDEMPOTENCY = 'Idempotency'
/** What is to be done and when, what has happened, and who writes where. */
export const INDEX = 'Index'

export const TABLE_OF: { readonly [kind in AloneKind]: string } = {
  document: 'Documents',
  run: 'Runs',
  workstream: 'Workstreams',
  queue: 'Queues',
  schedule: 'Schedules',
  token: 'Tokens',
}

export const ALL_TABLES: readonly string[] = [
  JOBS,
  STEPS,
  OUTBOX,
  EVENTS,
  IDEMPOTENCY,
  INDEX,
  ...Object.values(TABLE_OF),
]
