import type { Engine } from './engine.ts'
import { stateOfRow } from './lane.ts'
import { LANE_ROW, LINE_RANGE, laneKey, lineKey } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import { type Line, lineOf } from './line-columns.ts'
import { MOST_ROWS_IN_PAGE } from './service.ts'
import { INDEX } from './table-names.ts'

/** Lines of a lane that are kept in memory: whoever follows the log is nearly always among them. */
const MOST_KEPT = 200

/** Lines that are looked through for a change at once. */
const LINES_AT_ONCE = 100

/** The last lines of a lane, one after the other. */
interface Tail {
  readonly lines: Line[]
}

/** Lines of all lanes: the last ones from memory, the others from the table. */
export class LaneTails {
  readonly #engine: Engine
  readonly #lanes: Lanes
  readonly #tails = new Map<number, Tail>()

  constructor(engine: Engine, lanes: Lanes) {
    this.#engine = engine
    this.#lanes = lanes
  }

  /** A line that is durable. */
  add(line: Line): void {
    const tail = this.#tails.get(line.lane)
    const last = tail?.lines.at(-1)
    if (tail === undefined || last?.seq !== line.seq - 1) {
      if (last === undefined || last.seq < line.seq) this.#tails.set(line.lane, { lines: [line] })
      return
    }
    tail.lines.push(line)
    if (tail.lines.length > MOST_KEPT) tail.lines.shift()
  }

  /** Up to so many lines after a place; what others have written just now is asked for. */
  async after(lane: number, seq: number, limit: number): Promise<readonly Line[]> {
    const kept = this.#kept(lane, seq, limit)
    if (kept.length > 0) return kept
    const own = this.#lanes.held(lane)
    if (own !== null && seq >= own.seq) return []
    // Those that were removed because they were past their time are passed over.
    return this.newer(lane, seq, limit)
  }

  /** Lines after a place, as they are in the table. */
  newer(lane: number, seq: number, limit: number): Promise<readonly Line[]> {
    return this.#read(lane, lineKey(seq + 1), LINE_RANGE.before, limit)
  }

  /** The lines from one place to another, both included. */
  async between(lane: number, first: number, last: number): Promise<readonly Line[]> {
    const kept = this.#kept(lane, first - 1, last - first + 1)
    return kept.length === last - first + 1 ? kept : this.#read(lane, lineKey(first), lineKey(last + 1))
  }

  /** The last line of a lane. */
  async end(lane: number): Promise<number> {
    const row = await this.#engine.service.get(INDEX, laneKey(lane), LANE_ROW)
    return row === null ? 0 : stateOfRow(row).seq
  }

  /** The last line of each lane, and of those that they rest on: nothing of it is missing what came before. */
  async ends(): Promise<ReadonlyMap<number, number>> {
    await this.#lanes.refresh()
    const ends = new Map<number, number>()
    const states = await Promise.all(
      this.#lanes.numbers.map(async (number) => {
        const own = this.#lanes.held(number)
        if (own !== null) return [number, own.state] as const
        const row = await this.#engine.service.get(INDEX, laneKey(number), LANE_ROW)
        return row === null ? null : ([number, stateOfRow(row)] as const)
      }),
    )
    const raise = (lane: number, seq: number) => ends.set(lane, Math.max(ends.get(lane) ?? 0, seq))
    for (const state of states) {
      if (state === null) continue
      const [number, { seq, seen }] = state
      raise(number, seq)
      for (const [lane, last] of Object.entries(seen)) raise(Number(lane), last)
    }
    return ends
  }

  /** Whether a change is finished, whoever has seen to it. Its line is not from before it. */
  async tells(change: string, at: number): Promise<boolean> {
    await this.#lanes.refresh()
    for (const lane of this.#lanes.numbers) if (await this.#tellsIn(lane, change, at)) return true
    return false
  }

  async #tellsIn(lane: number, change: string, at: number): Promise<boolean> {
    for (let last = await this.end(lane); last > 0; last -= LINES_AT_ONCE) {
      const lines = await this.between(lane, Math.max(1, last - LINES_AT_ONCE + 1), last)
      if (lines.some(({ changes }) => changes.some(([id]) => id === change))) return true
      const [first] = lines
      // Those that are missing were removed because they were past their time.
      if (first === undefined || first.at < at) return false
    }
    return false
  }

  #kept(lane: number, seq: number, limit: number): readonly Line[] {
    const lines = this.#tails.get(lane)?.lines ?? []
    const first = lines[0]
    if (first === undefined || seq < first.seq - 1) return []
    const from = seq - first.seq + 1
    return lines.slice(from, from + limit)
  }

  async #read(
    lane: number,
    rkFrom: string,
    rkBefore: string,
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly Line[]> {
    const lines: Line[] = []
    for (let next: string | undefined; lines.length < most; ) {
      const limit = Math.min(MOST_ROWS_IN_PAGE, most - lines.length)
      const page = await this.#engine.service.query(INDEX, {
        pk: laneKey(lane),
        rkFrom,
        rkBefore,
        limit,
        next,
      })
      lines.push(...page.rows.map((row) => lineOf(lane, row)))
      if (page.next === null) break
      next = page.next
    }
    for (const line of lines) this.#engine.time.sawLine(line.at)
    return lines
  }
}
