import { idOf, type LedgerRecord, type RecordOf } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { FindOrder } from '../capabilities.ts'
import { cursorOf, placeOf, type SortedPlace } from '../cursor.ts'
import { NearestPlaces } from '../nearest-places.ts'
import { comparePlaces, type Place } from '../place.ts'
import { changedAt, type FindQuery, matchesFind, type Page, pageSize } from '../query.ts'

/** A record with its place in the order asked for. */
export interface Placed {
  readonly place: SortedPlace
  readonly record: LedgerRecord
}

/** What matches after the cursor, in order: a page, and one more if there is one. */
export function findPlaced(
  records: Iterable<LedgerRecord>,
  query: FindQuery,
  order: FindOrder,
): readonly Placed[] {
  const sign = signOf(query)
  const after = placeAfter(query, order)
  const name = nameOf(query, order)
  const nearest = new NearestPlaces<Placed>(pageSize(query.limit) + 1, sign === -1)
  for (const record of records) {
    if (!matchesFind(record, query)) continue
    const place = placeNamed(name, record, order)
    if (after === null || sign * comparePlaces(place, after) > 0) nearest.add(place, { place, record })
  }
  return nearest.values()
}

/** One page from what several sources found. */
export function pageOf<K extends RecordKind>(
  sources: readonly (readonly Placed[])[],
  query: FindQuery<K>,
): Page<RecordOf[K]> {
  const sign = signOf(query)
  const found =
    sources.length === 1
      ? (sources[0] as readonly Placed[])
      : sources.flat().sort((a, b) => sign * comparePlaces(a.place, b.place))
  const size = pageSize(query.limit)
  const last = found[size - 1]
  return {
    items: found.slice(0, size).map(({ record }) => record as RecordOf[K]),
    next: found.length > size && last !== undefined ? cursorOf(last.place) : null,
  }
}

/** Where the page before ended; null at the beginning. */
export function placeAfter(query: FindQuery, order: FindOrder): SortedPlace | null {
  return query.after === undefined ? null : placeOf(query.after, nameOf(query, order))
}

export function placeOfRecord(record: LedgerRecord, query: FindQuery, order: FindOrder): SortedPlace {
  return placeNamed(nameOf(query, order), record, order)
}

function placeNamed(name: string, record: LedgerRecord, order: FindOrder): SortedPlace {
  return { order: name, ...placeIn(record, order) }
}

export function placeIn(record: LedgerRecord, order: FindOrder): Place {
  const at = order === 'changed' ? changedAt(record) : 0
  return { at, tenant_id: record.tenant_id, id: idOf(record) }
}

function nameOf(query: FindQuery, order: FindOrder): string {
  return `${query.kind} ${order} ${signOf(query)}`
}

export function signOf({ direction }: FindQuery): 1 | -1 {
  return direction === 'desc' ? -1 : 1
}
