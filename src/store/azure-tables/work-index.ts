// What there is to do, as the lanes have it. A row may be older than its job: whoever acts on one looks at the job itself.
import type { RecordKey } from '../../core/aggregate.ts'
import type { Ready } from '../../core/job/record.ts'
import { byRank, type ReadyHead } from '../../core/pick.ts'
import type { ReadySelect } from '../tables/tables.ts'
import type { Engine } from './engine.ts'
import { dueRange, laneKey, readyRange, SIGNAL_RANGE, TIMER_RANGE, timeOfTimer } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import type { Row } from './service.ts'
import { INDEX } from './table-names.ts'

/** A row of the index, and where it is. */
export interface IndexedRow {
  readonly lane: number
  readonly row: Row
}

export interface IndexedHead extends ReadyHead, IndexedRow {}

export interface FoundHeads {
  readonly heads: readonly IndexedHead[]
  /** Lanes in which there is nothing else. */
  readonly whole: ReadonlySet<number>
}

interface HeadsInLane {
  readonly found: readonly IndexedHead[]
  readonly isAll: boolean
}

/** Pages of one queue in one lane that are looked at for one answer. */
const MOST_PAGES = 100
const ROWS_AT_ONCE = 100
const MOST_ROWS = 1000

export class WorkIndex {
  readonly #engine: Engine
  readonly #lanes: Lanes

  constructor(engine: Engine, lanes: Lanes) {
    this.#engine = engine
    this.#lanes = lanes
  }

  /** Every lane there is; whoever asks begins with its own. */
  async lanes(): Promise<readonly number[]> {
    return fromOn(await this.#all(), this.#lanes.own?.number ?? 0)
  }

  /** The first of every group that are true, in these lanes; and the lanes in which there is nothing else. */
  async heads(
    lanes: readonly number[],
    { queues, perGroup, most, tenants }: ReadySelect,
    isTrue: (head: IndexedHead) => boolean,
  ): Promise<FoundHeads> {
    const ranges = queues.flatMap((queue) =>
      tenants === undefined ? [[queue]] : tenants.map((tenant_id) => [queue, tenant_id]),
    )
    const found = await Promise.all(
      lanes.map((lane) => Promise.all(ranges.map((range) => this.#headsIn(lane, range, { perGroup, most })))),
    )
    const heads = found.flatMap((ranges) => ranges.flatMap((one) => one.found)).filter(isTrue)
    const first = firstOfGroups(heads, perGroup)
    const left = new Set(heads.filter((head) => !first.includes(head)).map(({ lane }) => lane))
    const isAll = (lane: number, n: number) =>
      !left.has(lane) && found[n]?.every(({ isAll }) => isAll) === true
    return { heads: first, whole: new Set(lanes.filter(isAll)) }
  }

  async #headsIn(
    lane: number,
    of: readonly string[],
    { perGroup, most = ROWS_AT_ONCE }: Pick<ReadySelect, 'perGroup' | 'most'>,
  ): Promise<HeadsInLane> {
    const { from, before: rkBefore } = readyRange(...of)
    const limit = Math.min(MOST_ROWS, Math.max(perGroup + 1, most))
    const found: IndexedHead[] = []
    const counts = new Map<string, number>()
    let isAll = true
    let rkFrom = from
    let more: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { pk: laneKey(lane), rkFrom, rkBefore, limit, next: more }
      const { rows, next } = await this.#engine.service.query(INDEX, query)
      for (const row of rows) {
        const head = headOf(lane, row)
        const count = counts.get(groupOf(head)) ?? 0
        if (count < perGroup) found.push(head)
        else isAll = false
        counts.set(groupOf(head), count + 1)
      }
      const last = rows.at(-1)
      if (next === null) return { found, isAll }
      more = next
      if (last === undefined) continue
      const { key, ready } = headOf(lane, last)
      const isFull = (counts.get(groupOf(headOf(lane, last))) ?? 0) >= perGroup
      // The rest of a group need not be read: the next one begins where it ends.
      if (!isFull) continue
      rkFrom = readyRange(ready.queue, key.tenant_id, ready.group).before
      more = undefined
      isAll = false
    }
    return { found, isAll: false }
  }

  /** Jobs that are due, the longest overdue first. */
  async due(now: number, limit: number): Promise<readonly IndexedRow[]> {
    const rows = await this.#rows(dueRange(now), limit)
    return rows.toSorted((a, b) => timeOfTimer(a.row.rk) - timeOfTimer(b.row.rk)).slice(0, limit)
  }

  signals(limit: number): Promise<readonly IndexedRow[]> {
    return this.#rows(SIGNAL_RANGE, limit)
  }

  /** When the first of all timers is due: 0 while there is a signal. */
  async next(): Promise<number | null> {
    const rows = await this.#rows(TIMER_RANGE, 1)
    return rows.length === 0 ? null : Math.min(...rows.map(({ row }) => timeOfTimer(row.rk)))
  }

  async drop({ lane, row }: IndexedRow): Promise<void> {
    await this.#engine.service.write(INDEX, laneKey(lane), [{ verb: 'delete', rk: row.rk, etag: row.etag }])
  }

  async #rows(
    { from: rkFrom, before: rkBefore }: { readonly from: string; readonly before: string },
    limit: number,
  ): Promise<readonly IndexedRow[]> {
    const lanes = await this.#all()
    const found = await Promise.all(
      lanes.map(async (lane) => {
        const query = { pk: laneKey(lane), rkFrom, rkBefore, limit: Math.min(limit, MOST_ROWS) }
        const { rows } = await this.#engine.service.query(INDEX, query)
        return rows.map((row) => ({ lane, row }))
      }),
    )
    return found.flat()
  }

  async #all(): Promise<readonly number[]> {
    await this.#lanes.refreshNowAndThen()
    return this.#lanes.numbers
  }
}

export function jobOfRow({ columns }: Row): RecordKey<'job'> {
  return { kind: 'job', tenant_id: columns.tenant_id as string, id: columns.jobId as string }
}

function headOf(lane: number, row: Row): IndexedHead {
  return { lane, row, key: jobOfRow(row), ready: JSON.parse(row.columns.ready as string) as Ready }
}

function groupOf({ key, ready }: ReadyHead): string {
  return `${ready.queue}\n${key.tenant_id}\n${ready.group}`
}

/** All of them, but this one first. */
function fromOn(lanes: readonly number[], first: number): readonly number[] {
  const at = Math.max(0, lanes.indexOf(first))
  return [...lanes.slice(at), ...lanes.slice(0, at)]
}

/** Each lane has the first of its own. */
function firstOfGroups(heads: readonly IndexedHead[], perGroup: number): readonly IndexedHead[] {
  const groups = Object.groupBy(heads, groupOf)
  return Object.values(groups).flatMap((group = []) => group.toSorted(byRank).slice(0, perGroup))
}
