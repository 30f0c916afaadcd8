import {
  idOf,
  type JobAggregate,
  type LedgerRecord,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { Capabilities } from '../capabilities.ts'
import { type Placed, pageOf, placeAfter, placeOfRecord, signOf } from '../live/find-records.ts'
import { NearestPlaces } from '../nearest-places.ts'
import { comparePlaces } from '../place.ts'
import { type FindQuery, findOrder, matchesFind, type Page, pageSize } from '../query.ts'
import { isCut, part, uncutPrefix } from './keys.ts'
import { MEMBER_FIELDS, membersKey } from './members.ts'
import type { Months } from './months.ts'
import type { RecentlyChanged, TouchedRecord } from './recently-changed.ts'
import { isAlone, type Scanning } from './scanning.ts'
import type { Settling } from './settling.ts'
import { INDEX } from './table-names.ts'

export interface FindingParts {
  readonly settling: Settling
  readonly months: Months
  readonly recent: RecentlyChanged
  readonly scanning: Scanning
  /** Every tenant that has anything. */
  readonly tenants: () => Promise<readonly string[]>
}

/** Records that are looked at for one page before all of them are. */
const MOST_LOOKED_AT = 3000
const AT_ONCE = 16

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
    const limit = pageSize(query.limit) + 1
    const sign = signOf(query)
    const placed = (record: LedgerRecord): Placed => ({ record, place: placeOfRecord(record, query, order) })
    const isNext = ({ place }: Placed) => after === null || sign * comparePlaces(place, after) > 0
    if (order === 'id' && sign === 1 && (query.kind === 'job' || isAlone(query.kind)) && !isNarrow(query)) {
      const found: Placed[] = []
      for await (const record of this.#sorted(query, after)) {
        const one = placed(record)
        if (!matchesFind(record, query) || !isNext(one)) continue
        if (found.push(one) === limit) break
      }
      return pageOf([found], query)
    }
    if (order === 'changed' && sign === -1 && !isNarrow(query)) {
      const recent = await this.#recent(query, {
        until: after?.at,
        limit,
        isNext: (record) => isNext(placed(record)),
      })
      if (recent !== null)
        return pageOf([recent.map(placed).sort((a, b) => comparePlaces(b.place, a.place))], query)
    }
    const nearest = new NearestPlaces<Placed>(limit, sign === -1)
    for await (const record of this.#any(query)) {
      if (!matchesFind(record, query)) continue
      const one = placed(record)
      if (isNext(one)) nearest.add(one.place, one)
    }
    return pageOf([nearest.values()], query)
  }

  /** What changed last, as the log tells it; null when that would not tell all of it, or not be any quicker. */
  async #recent(
    query: FindQuery,
    {
      until,
      limit,
      isNext,
    }: { until: number | undefined; limit: number; isNext: (record: LedgerRecord) => boolean },
  ): Promise<readonly LedgerRecord[] | null> {
    const { kind, tenant_id, where = {} } = query
    if (kind === 'step' || kind === 'outbox') return null
    const states = where.state === undefined ? undefined : new Set([where.state].flat())
    const latest = Math.min(
      until ?? Number.POSITIVE_INFINITY,
      (query.changedBefore ?? Number.POSITIVE_INFINITY) - 1,
    )
    const touched = this.#parts.recent.records({ kind, tenant_id, states, until: latest })
    const found: LedgerRecord[] = []
    let last = Number.NEGATIVE_INFINITY
    for (let looked = 0; looked < MOST_LOOKED_AT; looked += AT_ONCE) {
      const { some, isWhole } = await nextOf(touched)
      const records = await Promise.all(some.map(({ key }) => this.#record(key)))
      for (const [n, { at }] of some.entries()) {
        // What changed at the same time as the last one that fits may sort before it.
        if (found.length >= limit && at < last) return found
        if (query.changedFrom !== undefined && at < query.changedFrom) return found
        const record = records[n] ?? null
        if (record === null || !matchesFind(record, query) || !isNext(record)) continue
        found.push(record)
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

  /** By tenant and id, from a place on. */
  async *#sorted(
    query: FindQuery,
    after: { readonly tenant_id: string; readonly id: string } | null,
  ): AsyncGenerator<LedgerRecord> {
    for (const tenant_id of await this.#tenantsOf(query)) {
      if (after !== null && tenant_id < after.tenant_id) continue
      const fromId = after?.tenant_id === tenant_id ? after.id : undefined
      yield* inOrder(this.#ofTenant(query, tenant_id, fromId))
    }
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

  async *#any(query: FindQuery): AsyncGenerator<LedgerRecord> {
    const { scanning } = this.#parts
    for (const tenant_id of await this.#tenantsOf(query)) {
      if (isNarrow(query)) yield* this.#ofJobs(query, tenant_id)
      else yield* scanning.records(query.kind, tenant_id, query)
    }
  }

  /** Records of jobs that are named, or that belong to something that is. */
  async *#ofJobs(query: FindQuery, tenant_id: string): AsyncGenerator<LedgerRecord> {
    for (const id of await this.#jobIds(query, tenant_id)) {
      const { aggregate } = await this.#parts.settling.shown({ kind: 'job', tenant_id, id })
      if (aggregate === null) continue
      const { job, steps } = aggregate as JobAggregate
      if (query.kind === 'job') yield job
      else yield* steps
    }
  }

  async #jobIds({ where = {} }: FindQuery, tenant_id: string): Promise<readonly string[]> {
    const valuesOf = (wanted: string | readonly string[]) => (typeof wanted === 'string' ? [wanted] : wanted)
    if (where.job_id !== undefined) return [...new Set(valuesOf(where.job_id))]
    const field = MEMBER_FIELDS.find((one) => where[one] !== undefined)
    if (field === undefined) return []
    const ids = new Set<string>()
    for (const value of valuesOf(where[field] as string | readonly string[])) {
      const query = { pk: membersKey(field, tenant_id, value) }
      for await (const { columns } of this.#parts.scanning.rows(INDEX, query))
        ids.add(columns.jobId as string)
    }
    return [...ids]
  }

  async #tenantsOf({ tenant_id }: FindQuery): Promise<readonly string[]> {
    return tenant_id === undefined ? (await this.#parts.tenants()).toSorted() : [tenant_id]
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

/** Whether the jobs that it concerns can be told without looking at all. */
function isNarrow({ kind, where = {} }: FindQuery): boolean {
  if (kind === 'step') return where.job_id !== undefined
  return (
    kind === 'job' &&
    (where.job_id !== undefined || MEMBER_FIELDS.some((field) => where[field] !== undefined))
  )
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
