// History that is past its time goes: lines of lanes from their beginning, and what was told of the same records. A lane is
// cleared up by whoever writes to it; one that nobody writes to by whoever comes by. The last line of a lane stays, so that
// it can be told what was removed before it from what never was.
import { isAtRest, type RecordKey } from '../../core/aggregate.ts'
import { fromIso, toIso } from '../../core/time.ts'
import { ownerOf } from '../tables/cell-book.ts'
import type { Logged } from './azure-cell.ts'
import { rewritten } from './cell-rows.ts'
import type { Engine } from './engine.ts'
import { byRecord } from './event-rows.ts'
import { type Shards, SLOT_RANGE, slotOfRow } from './idempotency-rows.ts'
import { part } from './keys.ts'
import { type Lane, NOTHING_TOLD } from './lane.ts'
import { LINE_RANGE, laneKey } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import { type Line, lineOf, recordsOfLine } from './line-columns.ts'
import type { Scanning } from './scanning.ts'
import type { Row } from './service.ts'
import type { Settling } from './settling.ts'
import { EVENTS, IDEMPOTENCY, INDEX } from './table-names.ts'
import type { Totals } from './totals.ts'
import { groupsOfWrites } from './write-groups.ts'

export interface RetiringParts {
  readonly lanes: Lanes
  readonly scanning: Scanning
  readonly settling: Settling
  readonly shards: Shards
  readonly totals: Totals
}

interface OldLine extends Line {
  readonly rk: string
}

/** Lines that go at once. */
const LINES_AT_ONCE = 80

export class Retiring {
  readonly #engine: Engine
  readonly #parts: RetiringParts

  constructor(engine: Engine, parts: RetiringParts) {
    this.#engine = engine
    this.#parts = parts
  }

  /** Everything that happened before a time, but nothing since the oldest open job was made. Answers the records removed. */
  async retire(before: number): Promise<number> {
    const { lanes } = this.#parts
    const keepFrom = Math.min(before, await this.#oldestOpenJob())
    let removed = 0
    await lanes.refresh()
    for (const lease of lanes.leases) {
      const { own } = lanes
      if (own?.number === lease.number) removed += await this.#retireIn(own, keepFrom)
      else if (lease.owner === null) {
        const lane = await lanes.adopt(lease)
        if (lane === null) continue
        removed += await this.#retireIn(lane, keepFrom)
        await lanes.leave(lease.number)
      }
    }
    return removed
  }

  async #retireIn(lane: Lane, keepFrom: number): Promise<number> {
    let removed = 0
    let lines: OldLine[] = []
    const retire = async () => {
      const told = lines.flatMap(({ entries }) => entries)
      await this.#removeEvents(told, keepFrom)
      const retires = lines.reduce((sum, line) => sum + recordsOfLine(line).length, 0)
      await lane.write({ ...NOTHING_TOLD, drops: lines.map(({ rk }) => rk), retires })
      removed += retires
      lines = []
    }
    for await (const line of this.#oldLines(lane, keepFrom)) {
      if (lines.push(line) === LINES_AT_ONCE) await retire()
    }
    if (lines.length > 0) await retire()
    return removed
  }

  async *#oldLines(lane: Lane, keepFrom: number): AsyncGenerator<OldLine> {
    const { from: rkFrom, before: rkBefore } = LINE_RANGE
    for await (const row of this.#parts.scanning.rows(INDEX, {
      pk: laneKey(lane.number),
      rkFrom,
      rkBefore,
    })) {
      const line = lineOf(lane.number, row)
      const last = row.columns.last_at ?? row.columns.at
      if (line.seq >= lane.seq || fromIso(last as string) >= keepFrom) return
      yield { ...line, rk: row.rk }
    }
  }

  /** What was told of the same records before that time, wherever it was told. */
  async #removeEvents(told: readonly Logged[], keepFrom: number): Promise<void> {
    const { scanning } = this.#parts
    for (const [pk, logged] of byRecord(told)) {
      const old: Row[] = []
      const query = { pk, rkFrom: '0', rkBefore: part(toIso(keepFrom)) }
      for await (const row of scanning.rows(EVENTS, query)) old.push(row)
      const deletes = old.map(({ rk }) => ({ verb: 'delete', rk }) as const)
      for (const group of groupsOfWrites(deletes)) await this.#engine.service.write(EVENTS, pk, group)
      await this.#forget(ownerOf((logged[0] as Logged)[1]) as RecordKey)
    }
  }

  /** A record that rests has its last words with it as well. */
  async #forget(key: RecordKey): Promise<void> {
    const cell = await this.#parts.settling.settled(key)
    const { aggregate, meta, ref, etag } = cell
    if (aggregate === null || etag === null || meta.log.length === 0) return
    if (!isAtRest('kind' in aggregate ? aggregate : aggregate.job)) return
    await this.#engine.service.write(ref.table, ref.pk, [
      { verb: 'put', ...rewritten(cell, { log: [] }), etag },
    ])
  }

  /** When the oldest job was made that still holds a place: as long as it does, its history is wanted. */
  async #oldestOpenJob(): Promise<number> {
    const { scanning, settling, shards, totals } = this.#parts
    let oldest = Number.POSITIVE_INFINITY
    for (const tenant_id of await totals.tenants()) {
      for (const pk of shards.partitionsOf(tenant_id)) {
        const places = { pk, rkFrom: SLOT_RANGE.from, rkBefore: SLOT_RANGE.before }
        for await (const row of scanning.rows(IDEMPOTENCY, places)) {
          const { isJobs, owner, tentative } = slotOfRow(row)
          if (!isJobs) continue
          if (tentative !== null) oldest = Math.min(oldest, tentative.at)
          else {
            const { aggregate } = await settling.settled({ kind: 'job', tenant_id, id: owner })
            if (aggregate !== null && !('kind' in aggregate)) {
              oldest = Math.min(oldest, fromIso(aggregate.job.created_at))
            }
          }
        }
      }
    }
    return oldest
  }
}
