import type { JobAggregate } from '../../core/aggregate.ts'
import { idOf, type LedgerRecord, type RecordOf } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { Capabilities } from '../capabilities.ts'
import { type Placed, pageOf, placeAfter, placeOfRecord, signOf } from '../live/find-records.ts'
import { NearestPlaces } from '../nearest-places.ts'
import { comparePlaces } from '../place.ts'
import { type FindQuery, findOrder, matchesFind, type Page, pageSize } from '../query.ts'
import type { CellStore } from './cell-store.ts'
import type { Engine } from './engine.ts'
import { isCut, part, uncutPrefix } from './keys.ts'
import { MEMBER_FIELDS, membersKey } from './members.ts'
import type { Months } from './months.ts'
import { isAlone, type Scanning } from './scanning.ts'
import { INDEX } from './table-names.ts'

export interface FindingParts {
  readonly engine: Engine
  readonly cells: CellStore
  readonly months: Months
  readonly scanning: Scanning
  /** Every tenant that has anything. */
  readonly tenants: () => Promise<readonly string[]>
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
    const nearest = new NearestPlaces<Placed>(limit, sign === -1)
    for await (const record of this.#any(query)) {
      if (!matchesFind(record, query)) continue
      const one = placed(record)
      if (isNext(one)) nearest.add(one.place, one)
    }
    return pageOf([nearest.values()], query)
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
      const { aggregate } = await this.#parts.cells.read({ kind: 'job', tenant_id, id })
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
