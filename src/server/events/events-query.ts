import { z } from 'zod'
import { AUDIT_EVENTS } from '../../core/audit.ts'
import { LEVELS } from '../../core/audit-level.ts'
import { statesOf } from '../../core/machine.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { nearestOf } from '../../errors/nearest-of.ts'
import { idSchema } from '../../ledger/envelope.ts'
import type { Cursor } from '../../store/query.ts'
import { listOf, textQuery } from '../request/query.ts'
import type { EventFilter } from './selection.ts'

export interface EventsQuery {
  readonly after: Cursor | undefined
  readonly filter: EventFilter
}

const KINDS = Object.keys(machines) as [RecordKind, ...RecordKind[]]

const LONGEST_TEXT = 10_000

const id = idSchema.optional()
const text = z.string().min(1).max(LONGEST_TEXT).optional()

/** What the history is filtered by, when it is read and when it is followed. */
export const eventFilter = {
  kind: listOf(z.enum(KINDS)),
  id,
  job_id: id,
  doc_id: id,
  state: listOf(z.string()).describe('The state that was entered'),
  event: listOf(z.enum(AUDIT_EVENTS)),
  actor: text,
  adapter: text,
  error_type: text,
  run_id: id.describe('The run itself, and whatever its jobs do'),
  workstream_id: id,
  level: listOf(z.enum(LEVELS)).describe('How much somebody who watches has to care'),
  ...textQuery,
}

export const eventsQuerySchema = z.strictObject({
  after: z.string().optional(),
  tenant_id: id,
  ...eventFilter,
})

/**
 * What a client asks for, by the query of its URL and the header `Last-Event-ID`. A browser that comes back sends
 * the same URL and the header: then it is the header that counts.
 */
export function eventsQueryOf(query: z.output<typeof eventsQuerySchema>, lastEventId?: string): EventsQuery {
  const { after, ...filter } = query
  for (const state of filter.state ?? []) checkState(state, filter.kind ?? KINDS)
  return { after: lastEventId ?? after, filter }
}

function checkState(state: string, kinds: readonly RecordKind[]): void {
  const legal = [...new Set(kinds.flatMap((kind) => statesOf<string>(machines[kind])))]
  if (legal.includes(state)) return
  const meant = nearestOf(state, legal)
  throw new InvalidInput(
    'state',
    `${JSON.stringify(state)} is not a state`,
    `${meant === null ? '' : `Did you mean ${meant}? `}The states are: ${legal.join(', ')}.`,
    { state, nearest: meant, legal },
  )
}
