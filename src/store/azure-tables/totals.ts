import { StateCounts } from '../live/state-counts.ts'
import type { Engine } from './engine.ts'
import { stateOfRow } from './lane.ts'
import { countEntries } from './lane-counts.ts'
import { COUNT_RANGE, LANE_ROW, laneKey } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import { INDEX } from './table-names.ts'

/** What all lanes come to. */
export class Totals {
  readonly #engine: Engine
  readonly #lanes: Lanes

  constructor(engine: Engine, lanes: Lanes) {
    this.#engine = engine
    this.#lanes = lanes
  }

  /** How many records there are, by tenant, kind and state. */
  async counts(): Promise<StateCounts> {
    const counts = new StateCounts()
    await this.#lanes.refresh()
    await Promise.all(this.#lanes.numbers.map((lane) => this.#addLane(lane, counts)))
    return counts
  }

  async #addLane(lane: number, counts: StateCounts): Promise<void> {
    const { from: rkFrom, before: rkBefore } = COUNT_RANGE
    for (let next: string | undefined; ; ) {
      const page = await this.#engine.service.query(INDEX, { pk: laneKey(lane), rkFrom, rkBefore, next })
      for (const row of page.rows) {
        for (const { tenant_id, kind, state, n } of countEntries(row)) counts.add(tenant_id, kind, state, n)
      }
      if (page.next === null) return
      next = page.next
    }
  }

  /** Everybody of whom there is anything. */
  async tenants(): Promise<readonly string[]> {
    return [...new Set([...(await this.counts()).entries()].map(({ tenant_id }) => tenant_id))]
  }

  /** Records of the history that are there, and that were removed. */
  async records(): Promise<{ readonly records: number; readonly removed: number }> {
    await this.#lanes.refresh()
    let [records, removed] = [0, 0]
    for (const lane of this.#lanes.numbers) {
      const row = await this.#engine.service.get(INDEX, laneKey(lane), LANE_ROW)
      if (row === null) continue
      const state = stateOfRow(row)
      records += state.records
      removed += state.removed
    }
    return { records, removed }
  }
}
