// Rows of `Events`: what was told of a record, in a partition of its own. Those of a job have everything that was told of
// its steps and outbox rows as well.
import type { RecordKey } from '../../core/aggregate.ts'
import { fromEpochSeconds, toIso } from '../../core/time.ts'
import { ownerOf } from '../tables/cell-book.ts'
import type { RefusalKey } from '../tables/tables.ts'
import type { Logged, RowRef } from './azure-cell.ts'
import { fittedRow, type NextRow } from './cell-rows.ts'
import { digits, key, part, shortPart } from './keys.ts'
import { whole } from './long-columns.ts'
import type { Row } from './service.ts'
import { EVENTS } from './table-names.ts'

const SEQ_DIGITS = 16

/** The row that counts what did not move a record. */
const REFUSALS = '!refusals'

/** The partition of what is told of a record. */
export function eventsKey({ kind, tenant_id, id }: Pick<RecordKey, 'kind' | 'tenant_id' | 'id'>): string {
  return kind === 'job' ? key(part(tenant_id), part(id)) : key(part(tenant_id), part(id), kind)
}

export function eventRow(pk: string, [seq, entry]: Logged, change = ''): NextRow {
  const { event, kind, id, tenant_id, job_id, path, actor, timestamp } = entry
  const at = toIso(fromEpochSeconds(timestamp))
  return fittedRow(
    // Two who are refused at the same time may be given the same place, and a job and its step have places of their own.
    {
      table: EVENTS,
      pk,
      rk: key(part(at), digits(seq, SEQ_DIGITS), ...(change === '' ? [] : [change, kind, shortPart(id)])),
    },
    {
      event_type: event,
      tenant_id,
      kind,
      id,
      ...(job_id === null ? null : { jobId: job_id }),
      state: String(path.at(-1)),
      actor,
      created_at: at,
      payload: JSON.stringify(entry),
    },
  )
}

/** What was told; null for a row that only counts. */
export function loggedOfRow({ rk, columns }: Row): Logged | null {
  if (rk.startsWith('!')) return null
  return [Number(rk.split('~')[1]), JSON.parse(whole(columns).payload as string)]
}

/** Refusals are counted for each record by itself. */
export function refusalRef({ kind, tenant_id, id }: RefusalKey): RowRef {
  return { table: EVENTS, pk: key(part(tenant_id), part(id), kind), rk: REFUSALS }
}

/** What was told, by the record whose history it is part of. */
export function byRecord(logged: readonly Logged[]): ReadonlyMap<string, readonly Logged[]> {
  const found = new Map<string, Logged[]>()
  for (const one of logged) {
    const pk = eventsKey(ownerOf(one[1]) as RecordKey)
    const some = found.get(pk)
    if (some === undefined) found.set(pk, [one])
    else some.push(one)
  }
  return found
}
