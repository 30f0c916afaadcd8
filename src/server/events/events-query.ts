import { z } from 'zod'
import type { AuditEvent } from '../../core/audit.ts'
import { statesOf } from '../../core/machine.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { nearestOf } from '../../errors/nearest-of.ts'
import { idSchema, inputErrorOf } from '../../ledger/envelope.ts'
import type { Cursor } from '../../store/query.ts'
import type { EventFilter } from './selection.ts'

export interface EventsQuery {
  readonly after: Cursor | undefined
  readonly filter: EventFilter
}

const KINDS = Object.keys(machines) as [RecordKind, ...RecordKind[]]
const EVENTS = ['moved', 'noted', 'refused', 'ignored'] as const satisfies readonly AuditEvent[]

/** More than there are states. */
const MOST_VALUES = 100
const LONGEST_TEXT = 10_000

/** Given several times, or once with commas: `kind=job&kind=step`, `kind=job,step`. */
function severalOf<T extends z.ZodType>(one: T) {
  const values = z.array(one).min(1).max(MOST_VALUES)
  return z
    .preprocess((given) => (typeof given === 'string' ? given.split(',') : splitAll(given)), values)
    .optional()
}

function splitAll(given: unknown): unknown {
  return Array.isArray(given)
    ? given.flatMap((value: unknown) => (typeof value === 'string' ? value.split(',') : [value]))
    : given
}

const id = idSchema.optional()
const text = z.string().min(1).max(LONGEST_TEXT).optional()

export const eventsQuerySchema = z.strictObject({
  after: z.string().optional(),
  tenant_id: id,
  kind: severalOf(z.enum(KINDS)),
  id,
  job_id: id,
  doc_id: id,
  state: severalOf(z.string()),
  event: severalOf(z.enum(EVENTS)),
  actor: text,
  adapter: text,
  error_type: text,
  run_id: id,
  workstream_id: id,
})

/**
 * What a client asks for, by the query of its URL, parsed, and the header `Last-Event-ID`. A browser that comes back sends
 * the same URL and the header: then it is the header that counts.
 */
export function parseEventsQuery(query: unknown, lastEventId?: string): EventsQuery {
  const parsed = eventsQuerySchema.safeParse(query)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  const { after, ...filter } = parsed.data
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
