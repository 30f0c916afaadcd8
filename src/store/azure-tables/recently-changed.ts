// Records by the time of their last change, the latest first: read off the log, which says of every change what it touched.
// So a list of what happened last costs as much as it shows, however much there is.
import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { LaneTails } from './lane-tails.ts'
import type { Line } from './line-columns.ts'

/** A record that was touched, and when. */
export interface TouchedRecord {
  readonly key: RecordKey
  readonly at: number
}

interface Touch extends TouchedRecord {
  readonly isWanted: boolean
}

export interface RecentQuery {
  readonly kind: RecordKey['kind']
  readonly tenant_id: string | undefined
  /** In which it has to have been; any when absent. */
  readonly states: ReadonlySet<string> | undefined
  /** Nothing that was last touched after this time. */
  readonly until: number
}

const LINES_AT_ONCE = 100

/** One lane, read from its end. */
interface BackLane {
  readonly lane: number
  /** Lines up to this one have not been read. */
  seq: number
  /** No line that has not been read touched anything after this. */
  bound: number
}

export class RecentlyChanged {
  readonly #tails: LaneTails

  constructor(tails: LaneTails) {
    this.#tails = tails
  }

  /**
   * Each record once, by its last touch as the log has it. The last answer says whether the log goes back to the beginning,
   * so that none is missing.
   */
  async *records(query: RecentQuery): AsyncGenerator<TouchedRecord, boolean> {
    const lanes: BackLane[] = [...(await this.#tails.ends())].map(([lane, seq]) => ({
      lane,
      seq,
      bound: seq === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
    }))
    const seen = new Set<string>()
    let waiting: Touch[] = []
    let isWhole = true
    for (;;) {
      const bound = Math.max(Number.NEGATIVE_INFINITY, ...lanes.map((lane) => lane.bound))
      waiting.sort(byTime)
      const told = waiting.findIndex(({ at }) => at <= bound)
      const sure = told === -1 ? waiting : waiting.slice(0, told)
      waiting = told === -1 ? [] : waiting.slice(told)
      for (const touched of sure) {
        const name = nameOfKey(touched.key)
        if (seen.has(name)) continue
        seen.add(name)
        if (touched.isWanted) yield touched
      }
      const behind = lanes.filter((lane) => lane.bound === bound && bound !== Number.NEGATIVE_INFINITY)
      if (behind.length === 0) return isWhole
      const lines = await Promise.all(behind.map((lane) => this.#back(lane)))
      for (const { touched, isCut } of lines) {
        isWhole &&= !isCut
        waiting.push(...touched.flatMap((one) => matching(one, query)))
      }
    }
  }

  /** The lines before those that were read. */
  async #back(lane: BackLane): Promise<{ readonly touched: Line['touched']; readonly isCut: boolean }> {
    const last = lane.seq
    const first = Math.max(1, last - LINES_AT_ONCE + 1)
    const lines = await this.#tails.between(lane.lane, first, last)
    lane.seq = first - 1
    // What was removed because it was past its time tells of records, too, which are still there.
    const isCut = lines.length < last - first + 1
    const isDone = lane.seq === 0 || isCut
    lane.bound = isDone ? Number.NEGATIVE_INFINITY : (lines[0]?.at ?? Number.NEGATIVE_INFINITY)
    return { touched: lines.toReversed().flatMap((line) => line.touched.toReversed()), isCut }
  }
}

function byTime(a: TouchedRecord, b: TouchedRecord): number {
  return b.at - a.at
}

function matching(
  [kind, tenant_id, id, state, at]: Line['touched'][number],
  query: RecentQuery,
): readonly Touch[] {
  if (kind !== query.kind || (query.tenant_id !== undefined && tenant_id !== query.tenant_id)) return []
  // One that was in another state by its last touch is in none that is asked for; an earlier touch must not speak for it.
  const isWanted = at <= query.until && (query.states === undefined || query.states.has(state))
  return [{ key: { kind: query.kind, tenant_id, id }, at, isWanted }]
}
