import { idOf, type LedgerRecord, type RecordOf } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { FindOrder } from '../capabilities.ts'
import { cursorOf, placeOf, type SortedPlace } from '../cursor.ts'
import { changedAt, type FindQuery, matchesFind, type Page, pageSize } from '../query.ts'

/** Answers a `find` from records in memory. */
export function findRecords<K extends RecordKind>(
  records: Iterable<LedgerRecord>,
  query: FindQuery<K>,
  order: FindOrder,
): Page<RecordOf[K]> {
  const sign = query.direction === 'desc' ? -1 : 1
  const name = `${query.kind} ${order} ${sign}`
  const after = query.after === undefined ? null : placeOf(query.after, name)
  const found: { readonly place: SortedPlace; readonly record: LedgerRecord }[] = []
  for (const record of records) {
    if (!matchesFind(record, query)) continue
    const at = order === 'changed' ? changedAt(record) : 0
    const place = { order: name, at, tenant_id: record.tenant_id, id: idOf(record) }
    if (after === null || sign * comparePlaces(place, after) > 0) found.push({ place, record })
  }
  found.sort((a, b) => sign * comparePlaces(a.place, b.place))
  const size = pageSize(query.limit)
  const last = found[size - 1]
  return {
    items: found.slice(0, size).map(({ record }) => record as RecordOf[K]),
    next: found.length > size && last !== undefined ? cursorOf(last.place) : null,
  }
}

function comparePlaces(a: SortedPlace, b: SortedPlace): number {
  return a.at - b.at || compare(a.tenant_id, b.tenant_id) || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
