import {
  idOf,
  type JobAggregate,
  type LedgerRecord,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { Capabilities } from '../capabilities.ts'
import type { SortedPlace } from '../cursor.ts'
import { type Placed, pageOf, placeAfter, placeOfRecord, signOf } from '../live/find-records.ts'
import { NearestPlaces } from '../nearest-places.ts'
import { comparePlaces } from '../place.ts'
import { type FindQuery, findOrder, matchesFind, type Page, pageSize } from '../query.ts'
import { isCut, part, uncutPrefix } from './keys.ts'
import type { Months } from './months.ts'
import type { NamedJobs } from './named-jobs.ts'
import type { RecentlyChanged, TouchedRecord } from './recently-changed.ts'
import { isAlone, type Scanning } from './scanning.ts'
import type { Settling } from './settling.ts'
import type { Totals } from './totals.ts'

export interface FindingParts {
  readonly settling: Settling
  readonly named: NamedJobs
  readonly months: Months
  readonly recent: RecentlyChanged
  readonly scanning: Scanning
  readonly totals: Totals
}

/** Records that are looked at for one page before all of them are. */
const MOST_LOOKED_AT = 3000
const AT_ONCE = 16

const ENDLESS = Number.POSITIVE_INFINITY

interface Asked {
  readonly query: FindQuery
  readonly after: SortedPlace | null
  readonly limit: number
  placed(record: LedgerRecord): Placed
  isNext(placed: Placed): boolean
}

export class Finding {
  readonly #parts: FindingParts

  constructor(parts: FindingParts) {
    this.#parts = parts
  }

  async find<K extends RecordKind>(
    query: FindQuery<K>,
    capabilities: Capabilities,
  ): Promise<Page<RecordOf[K]>> {
    const order = findOrder(query, capabilities)
    const after = placeAfter(query, order)
    const sign = signOf(query)
    const asked: Asked = {
      query,
      after,
      limit: pageSize(query.limit) + 1,
      placed: (record) => ({ record, place: placeOfRecord(record, query, order) }),
      isNext: ({ place }) => after === null || sign * comparePlaces(place, after) > 0,
    }
    const tenants = await this.#tenantsOf(query)
    const named = await this.#named(query, tenants)
    if (named !== null) return this.#nearest(asked, this.#ofJobs(query, named))
    const { kind } = query
    if (order === 'id' && sign === 1 && (kind === 'job' || isAlone(kind))) return this.#sorted(asked, tenants)
    const recent = order === 'changed' && sign === -1 ? await this.#recent(asked) : null
    if (recent !== null) return pageOf([recent.sort((a, b) => comparePlaces(b.place, a.place))], query)
    return this.#nearest(asked, this.#all(query, tenants))
  }

  /** The jobs that it is about, by tenant; null when all have to be looked at. */
  async #named(query: FindQuery, tenants: readonly string[]): Promise<readonly RecordKey[] | null> {
    const keys: RecordKey[] = []
    for (const tenant_id of tenants) {
      const ids = await this.#parts.named.ids(query, tenant_id)
      if (ids === null) return null
      keys.push(...ids.map((id) => ({ kind: 'job', tenant_id, id }) as const))
    }
    return tenants.length === 0 ? null : keys
  }

  /** All of them pass by, and those that come first are kept. */
  async #nearest<K extends RecordKind>(
    { query, limit, placed, isNext }: Asked,
    records: AsyncIterable<LedgerRecord>,
  ): Promise<Page<RecordOf[K]>> {
    const nearest = new NearestPlaces<Placed>(limit, signOf(query) === -1)
    for await (const record of records) {
      if (!matchesFind(record, query)) continue
      const one = placed(record)
      if (isNext(one)) nearest.add(one.place, one)
    }
    return pageOf([nearest.values()], query as FindQuery<K>)
  }

  /** By tenant and id: as many as are asked for are read. */
  async #sorted<K extends RecordKind>(
    { query, after, limit, placed, isNext }: Asked,
    tenants: readonly string[],
  ): Promise<Page<RecordOf[K]>> {
    const found: Placed[] = []
    for (const tenant_id of tenants) {
      if (after !== null && tenant_id < after.tenant_id) continue
      const fromId = after?.tenant_id === tenant_id ? after.id : undefined
      for await (const record of inOrder(this.#ofTenant(query, tenant_id, fromId))) {
        const one = placed(record)
        if (!matchesFind(record, query) || !isNext(one)) continue
        if (found.push(one) === limit) return pageOf([found], query as FindQuery<K>)
      }
    }
    return pageOf([found], query as FindQuery<K>)
  }

  /** What changed last, as the log tells it; null when that would not tell all of it, or not be any quicker. */
  async #recent({ query, after, limit, placed, isNext }: Asked): Promise<Placed[] | null> {
    const { kind, tenant_id, where = {}, changedFrom = Number.NEGATIVE_INFINITY } = query
    if (kind === 'step' || kind === 'outbox') return null
    const states = where.state === undefined ? undefined : new Set([where.state].flat())
    const until = Math.min(after?.at ?? ENDLESS, (query.changedBefore ?? ENDLESS) - 1)
    const touched = this.#parts.recent.records({ kind, tenant_id, states, until })
    const found: Placed[] = []
    let last = ENDLESS
    for (let looked = 0; looked < MOST_LOOKED_AT; looked += AT_ONCE) {
      const { some, isWhole } = await nextOf(touched)
      const records = await Promise.all(some.map(({ key }) => this.#record(key)))
      for (const [n, { at }] of some.entries()) {
        // What changed at the same time as the last one that fits may sort before it.
        if (at < changedFrom || (found.length >= limit && at < last)) return found
        const record = records[n] ?? null
        if (record === null || !matchesFind(record, query) || !isNext(placed(record))) continue
        found.push(placed(record))
        last = at
      }
      if (isWhole !== undefined) return isWhole ? found : null
    }
    return null
  }

  async #record(key: RecordKey): Promise<LedgerRecord | null> {
    const { aggregate } = await this.#parts.settling.shown(key)
    return aggregate === null || 'kind' in aggregate ? aggregate : aggregate.job
  }

  async *#ofTenant(
    query: FindQuery,
    tenant_id: string,
    fromId: string | undefined,
  ): AsyncGenerator<LedgerRecord> {
    const { scanning, months } = this.#parts
    const { kind } = query
    // Where ids that begin alike are cut, their keys are in no order: all of them are read.
    const from = fromId !== undefined && isCut(part(fromId)) ? undefined : fromId
    if (isAlone(kind)) yield* scanning.alone(kind, tenant_id, query, from)
    else {
      const all = (await months.all()).map((month) => scanning.jobs(tenant_id, month, query, from))
      yield* merged(all)
    }
  }

  async *#all(query: FindQuery, tenants: readonly string[]): AsyncGenerator<LedgerRecord> {
    for (const tenant_id of tenants) yield* this.#parts.scanning.records(query.kind, tenant_id, query)
  }

  /** These jobs, or their steps. */
  async *#ofJobs({ kind }: FindQuery, keys: readonly RecordKey[]): AsyncGenerator<LedgerRecord> {
    for (let from = 0; from < keys.length; from += AT_ONCE) {
      const some = keys.slice(from, from + AT_ONCE)
      for (const { aggregate } of await Promise.all(some.map((key) => this.#parts.settling.shown(key)))) {
        if (aggregate === null) continue
        const { job, steps } = aggregate as JobAggregate
        if (kind === 'job') yield job
        else yield* steps
      }
    }
  }

  async #tenantsOf({ tenant_id }: FindQuery): Promise<readonly string[]> {
    return tenant_id === undefined ? (await this.#parts.totals.tenants()).toSorted() : [tenant_id]
  }
}

/** The next few; and at the end whether that was all there is. */
async function nextOf(
  touched: ReturnType<RecentlyChanged['records']>,
): Promise<{ readonly some: readonly TouchedRecord[]; readonly isWhole: boolean | undefined }> {
  const some: TouchedRecord[] = []
  while (some.length < AT_ONCE) {
    const { done, value } = await touched.next()
    if (done === true) return { some, isWhole: value }
    some.push(value)
  }
  return { some, isWhole: undefined }
}

/** Keys sort as ids do, but for those that were cut: what begins alike is put in order here. */
async function* inOrder(records: AsyncIterable<LedgerRecord>): AsyncGenerator<LedgerRecord> {
  let group: LedgerRecord[] = []
  let prefix: string | null = null
  for await (const record of records) {
    const written = part(idOf(record))
    const cut = isCut(written) ? uncutPrefix(written) : null
    if (prefix !== null && !written.startsWith(prefix)) {
      yield* group.sort(byId)
      group = []
      prefix = null
    }
    if (cut !== null) prefix ??= cut
    if (prefix === null) yield record
    else group.push(record)
  }
  yield* group.sort(byId)
}

function byId(a: LedgerRecord, b: LedgerRecord): number {
  return idOf(a) < idOf(b) ? -1 : 1
}

/** Several that are sorted by key, as one. */
async function* merged(all: readonly AsyncGenerator<LedgerRecord>[]): AsyncGenerator<LedgerRecord> {
  const heads = await Promise.all(all.map((one) => one.next()))
  for (;;) {
    let first = -1
    for (const [n, { done, value }] of heads.entries()) {
      if (done === true) continue
      if (first === -1 || keyOf(value) < keyOf(heads[first]?.value as LedgerRecord)) first = n
    }
    if (first === -1) return
    yield heads[first]?.value as LedgerRecord
    heads[first] = await (all[first] as AsyncGenerator<LedgerRecord>).next()
  }
}

function keyOf(record: LedgerRecord): string {
  return part(idOf(record))
}
