// What somebody had begun who is not heard of any more. Nearly everything is found again by itself: work lies where it lay,
// and whoever touches what was left half done finishes it. What is left is what nothing leads to: it was noted in their lane
// before it was begun; and places under limits that were taken for what was never decided. Others may wait for those.
import type { RecordKey } from '../../core/aggregate.ts'
import { EVERYBODY } from '../../core/queue/record.ts'
import { MINUTE_MS } from '../../core/time.ts'
import type { RowRef } from './azure-cell.ts'
import { type CellStore, keyOfRow } from './cell-store.ts'
import type { Engine } from './engine.ts'
import type { HeldPlaces } from './held-places.ts'
import { type Shards, SLOT_RANGE, slotOfRow } from './idempotency-rows.ts'
import { NOTHING_TOLD } from './lane.ts'
import { countsOfRow } from './lane-counts.ts'
import { COUNT_RANGE, LINE_RANGE, laneKey, MARKER_RANGE, TIMER_RANGE, timeOfTimer } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import type { LaneLease } from './ledger-rows.ts'
import { lineOf } from './line-columns.ts'
import type { Projections } from './projections.ts'
import type { Scanning } from './scanning.ts'
import type { Row } from './service.ts'
import type { Settling } from './settling.ts'
import { IDEMPOTENCY, INDEX } from './table-names.ts'
import { jobOfRow } from './work-index.ts'

export interface RecoveringParts {
  readonly cells: CellStore
  readonly lanes: Lanes
  readonly places: HeldPlaces
  readonly projections: Projections
  readonly scanning: Scanning
  readonly settling: Settling
  readonly shards: Shards
  /** Places under limits are free that were not. */
  readonly onFreed: () => void
}

/** How much earlier than they last said something they may have begun what they never finished. */
const EARLIER_MS = MINUTE_MS
/** How much later it is looked at once more: by then they have noticed that they lost it. */
const ONCE_MORE_MS = 2 * MINUTE_MS
/** Timers that are looked at before their time, the first ones first. */
const MOST_TIMERS = 5000
const AT_ONCE = 16

export class Recovering {
  readonly #engine: Engine
  readonly #parts: RecoveringParts
  /** The lane of this process, while what was left in it is not seen to. */
  #unseen: LaneLease | null = null

  constructor(engine: Engine, parts: RecoveringParts) {
    this.#engine = engine
    this.#parts = parts
  }

  /** Looks after every lane whose owner has not said anything for too long. */
  async lookAround(): Promise<void> {
    const { lanes } = this.#parts
    await lanes.refresh()
    // One that is this process's no longer is looked after like any other.
    const unseen = this.#unseen
    if (unseen !== null && unseen.number === lanes.own?.number) await this.recoverOwn(unseen)
    for (const lease of lanes.abandoned()) {
      if ((await lanes.adopt(lease)) === null) continue
      await this.#recover(lease)
      await lanes.leave(lease.number)
    }
  }

  /** The lane that this process writes to from now on. Should it fail, there is a next time: to others it is in good order. */
  async recoverOwn(lease: LaneLease): Promise<void> {
    this.#unseen = lease
    await this.#recover(lease)
    if (this.#unseen === lease) this.#unseen = null
  }

  /** A lane that somebody left without saying so, and that nobody else writes to now. */
  async #recover({ number, at, owner }: LaneLease): Promise<void> {
    this.#engine.logger.info({ lane: number, owner }, 'Looking after what a process left behind')
    const pk = laneKey(number)
    const { from: rkFrom, before: rkBefore } = MARKER_RANGE
    const tenants = new Set([EVERYBODY])
    for await (const marker of this.#parts.scanning.rows(INDEX, { pk, rkFrom, rkBefore })) {
      if (marker.columns.pk !== undefined) {
        const key = await this.#finish(marker.columns as unknown as RowRef)
        if (key !== null) tenants.add(key.tenant_id)
      } else await this.#putEvents(number, marker)
      await this.#engine.service.write(INDEX, pk, [{ verb: 'delete', rk: marker.rk, etag: marker.etag }])
    }
    await this.#lookAtTimers(number)
    for (const tenant_id of await this.#tenantsOf(number)) tenants.add(tenant_id)
    await this.#lookAtPlaces(number, tenants, at - EARLIER_MS)
    // They may only have slept, with something under way that arrives late, or with a clock by which they still have it.
    this.#engine.timers.after(ONCE_MORE_MS, () => {
      this.#lookAtPlaces(number, tenants, at - EARLIER_MS).catch(() => {})
    })
  }

  /** Jobs that they had to do with: what they reported last may be half done, and would be found when its time is over. */
  async #lookAtTimers(lane: number): Promise<void> {
    const { scanning, settling } = this.#parts
    const { from: rkFrom, before: rkBefore } = TIMER_RANGE
    let looked = 0
    let some: Promise<unknown>[] = []
    for await (const row of scanning.rows(INDEX, { pk: laneKey(lane), rkFrom, rkBefore })) {
      if (timeOfTimer(row.rk) === 0) continue
      if (++looked > MOST_TIMERS) break
      some.push(settling.settled(jobOfRow(row)))
      if (some.length < AT_ONCE) continue
      await Promise.all(some)
      some = []
    }
    await Promise.all(some)
  }

  async #finish({ table, pk, rk }: RowRef): Promise<RecordKey | null> {
    const row = await this.#engine.service.get(table, pk, rk)
    if (row === null || row.columns._dead !== undefined) return null
    return (await this.#parts.settling.settled(keyOfRow(table, row))).key
  }

  /** What a line tells of records that it did not change. */
  async #putEvents(lane: number, marker: Row): Promise<void> {
    const { change, line } = marker.columns as { change: string; line: number }
    const { from: rkFrom, before: rkBefore } = LINE_RANGE
    for await (const row of this.#parts.scanning.rows(INDEX, { pk: laneKey(lane), rkFrom, rkBefore })) {
      const found = lineOf(lane, row)
      if (found.seq > line) return
      for (const [id, from, to] of found.changes) {
        if (id === change) await this.#parts.projections.putEvents(found.entries.slice(from, to), change)
      }
    }
  }

  /** Places that were taken there: what became of it is seen to, and one that nobody holds is free again. */
  async #lookAtPlaces(lane: number, tenants: Iterable<string>, from: number): Promise<void> {
    const { scanning, shards, places, onFreed } = this.#parts
    let freed = 0
    for (const tenant_id of tenants) {
      for (const pk of shards.partitionsOf(tenant_id)) {
        const where = [{ column: 'lane', is: 'eq', value: lane } as const]
        const taken = { pk, rkFrom: SLOT_RANGE.from, rkBefore: SLOT_RANGE.before, where }
        for await (const row of scanning.rows(IDEMPOTENCY, taken)) {
          const place = slotOfRow(row)
          if (place.tentative === null || place.tentative.at < from) continue
          if (!(await places.isHeld(place))) freed++
        }
      }
    }
    if (freed === 0) return
    // Whoever waits for a place hears of lines, and nothing else tells that it is free.
    await this.#parts.lanes.note({ ...NOTHING_TOLD, change: this.#engine.ids.next() })
    onFreed()
  }

  /** Those that were served there. */
  async #tenantsOf(lane: number): Promise<readonly string[]> {
    const tenants: string[] = []
    const counted = { pk: laneKey(lane), rkFrom: COUNT_RANGE.from, rkBefore: COUNT_RANGE.before }
    for await (const row of this.#parts.scanning.rows(INDEX, counted)) tenants.push(countsOfRow(row)[0])
    return tenants
  }
}
