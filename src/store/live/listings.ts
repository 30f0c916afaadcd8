// Listing all records page by page would mean looking at all of them for every page. So from the second page on they
// are sorted once, and each page goes on where the last one ended. Records are never changed but replaced: one that is
// no longer the one in memory is passed over, and those that came since are looked at beside the list.
import { idOf, type LedgerRecord } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { FindOrder } from '../capabilities.ts'
import { countWhile } from '../count-while.ts'
import { comparePlaces, type Place } from '../place.ts'
import { type FindQuery, matchesFind, pageSize } from '../query.ts'
import { findPlaced, type Placed, placeAfter, placeIn, placeOfRecord, signOf } from './find-records.ts'

/** Lists that are kept at a time. */
const MOST_LISTS = 4

/** A list is made anew when so many records came since, and they are a good part of it. */
const MOST_SINCE = 5000
const LARGEST_SHARE_SINCE = 0.25

/** What has all the records. */
interface Records {
  records(kind: RecordKind, tenant_id?: string): Iterable<LedgerRecord>
  record(key: { kind: RecordKind; tenant_id: string; id: string }): LedgerRecord | null
}

interface SortedList {
  readonly kind: RecordKind
  readonly order: FindOrder
  readonly records: readonly LedgerRecord[]
  readonly since: LedgerRecord[]
}

export class Listings {
  readonly #from: Records
  #lists: SortedList[] = []

  constructor(from: Records) {
    this.#from = from
  }

  /** What matches after the cursor, in order: a page, and one more if there is one. */
  find(query: FindQuery, order: FindOrder): readonly Placed[] {
    const after = placeAfter(query, order)
    if (after === null) return findPlaced(this.#from.records(query.kind, query.tenant_id), query, order)
    const list = this.#listOf(query.kind, order)
    const found = this.#goOn(list, query, after)
    if (list.since.length === 0) return found
    const since = new Set(list.since.filter((record) => this.#isCurrent(record) && isOf(record, query)))
    return [...found, ...findPlaced(since, query, order)]
      .sort((a, b) => signOf(query) * comparePlaces(a.place, b.place))
      .slice(0, pageSize(query.limit) + 1)
  }

  /** Whether anybody wants to know what comes. */
  get isAny(): boolean {
    return this.#lists.length > 0
  }

  /** A record came into memory, as a new one or in the place of another. */
  came(record: LedgerRecord): void {
    for (const list of this.#lists) {
      if (list.kind !== record.kind) continue
      list.since.push(record)
      const { length } = list.since
      if (length > MOST_SINCE && length > list.records.length * LARGEST_SHARE_SINCE) this.#drop(list)
    }
  }

  /** Lists hold on to records that are to be forgotten. */
  clear(): void {
    this.#lists = []
  }

  #drop(list: SortedList): void {
    this.#lists = this.#lists.filter((one) => one !== list)
  }

  #listOf(kind: RecordKind, order: FindOrder): SortedList {
    const known = this.#lists.find((one) => one.kind === kind && one.order === order)
    if (known !== undefined) return known
    const records = [...this.#from.records(kind)]
    records.sort((a, b) => comparePlaces(placeIn(a, order), placeIn(b, order)))
    const made = { kind, order, records, since: [] }
    this.#lists = [...this.#lists.slice(1 - MOST_LISTS), made]
    return made
  }

  #goOn({ records, order }: SortedList, query: FindQuery, after: Place): readonly Placed[] {
    const sign = signOf(query)
    const wanted = pageSize(query.limit) + 1
    const found: Placed[] = []
    const upTo = (record: LedgerRecord, bound: number) => comparePlaces(placeIn(record, order), after) < bound
    let index = countWhile(records, (record) => upTo(record, sign === 1 ? 1 : 0))
    if (sign === -1) index--
    for (; found.length < wanted; index += sign) {
      const record = records[index]
      if (record === undefined) break
      if (!isOf(record, query) || !matchesFind(record, query) || !this.#isCurrent(record)) continue
      found.push({ record, place: placeOfRecord(record, query, order) })
    }
    return found
  }

  #isCurrent(record: LedgerRecord): boolean {
    const { kind, tenant_id } = record
    return this.#from.record({ kind, tenant_id, id: idOf(record) }) === record
  }
}

function isOf(record: LedgerRecord, { tenant_id }: FindQuery): boolean {
  return tenant_id === undefined || record.tenant_id === tenant_id
}
