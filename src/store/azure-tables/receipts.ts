import { fromIso } from '../../core/time.ts'
import { RecentlyUsed } from '../recently-used.ts'
import type { LastChange, Receipt } from './azure-cell.ts'
import type { Engine } from './engine.ts'
import { LINE_RANGE, laneKey, lineKey, seqOfLine } from './lane-rows.ts'
import { CHANGE_COLUMNS, type Line, partOf } from './line-columns.ts'
import type { Row } from './service.ts'
import { INDEX } from './table-names.ts'

const MOST_KNOWN = 20_000
/** A change is nearly always in the first lines after the place that it was decided at. */
const LINES_AT_ONCE = 10
const MOST_PAGES = 1000

/** Which changes are finished, and by which line: as far as this process knows, or can find out. */
export class Receipts {
  readonly #engine: Engine
  readonly #known = new RecentlyUsed<string, Receipt>(MOST_KNOWN)

  constructor(engine: Engine) {
    this.#engine = engine
  }

  know(change: string, receipt: Receipt): void {
    this.#known.set(change, receipt)
    this.#engine.time.sawLine(receipt.at)
  }

  /** A line that is durable. */
  hear({ lane, seq, at, changes }: Line): void {
    for (const [change, , , jobs] of changes) this.know(change, { lane, seq, at, jobs })
  }

  known(change: string): Receipt | null {
    return this.#known.get(change) ?? null
  }

  /** Null when it is not finished, or not yet. */
  async find({ id, lane, from }: LastChange): Promise<Receipt | null> {
    const known = this.known(id)
    if (known !== null) return known
    const rkFrom = lineKey(from + 1)
    for (let next: string | undefined, page = 0; page < MOST_PAGES; page++) {
      const limit = LINES_AT_ONCE
      const { before: rkBefore } = LINE_RANGE
      const query = { pk: laneKey(lane), rkFrom, rkBefore, select: CHANGE_COLUMNS, limit, next }
      const found = await this.#engine.service.query(INDEX, query)
      const first = found.rows[0]
      // Lines that are missing were removed because they were past their time, and all that they tell is long done.
      if (page === 0 && first !== undefined && seqOfLine(first.rk) > from + 1)
        return this.#past(id, lane, first)
      for (const row of found.rows) {
        const part = partOf(row, id)
        if (part === undefined) continue
        const receipt = { lane, seq: seqOfLine(row.rk), at: fromIso(row.columns.at as string), jobs: part[3] }
        this.know(id, receipt)
        return receipt
      }
      if (found.next === null) return null
      next = found.next
    }
    return null
  }

  #past(id: string, lane: number, next: Row): Receipt {
    const receipt = { lane, seq: seqOfLine(next.rk) - 1, at: fromIso(next.columns.at as string) - 1 }
    this.know(id, receipt)
    return receipt
  }
}
