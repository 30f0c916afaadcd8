import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Claim, ClaimKey, SlotKey } from '../../core/decision.ts'
import type { ClosedRow, Loaded, SlotRow, Wanted } from '../tables/tables.ts'
import { closedRow } from '../tables/write-set.ts'
import type { AzureCell } from './azure-cell.ts'
import type { Engine } from './engine.ts'
import { refusalRef } from './event-rows.ts'
import type { HeldPlaces } from './held-places.ts'
import {
  claimOfRow,
  isActive,
  type Shards,
  type SlotRowRead,
  slotOfRow,
  slotRange,
} from './idempotency-rows.ts'
import { whole } from './long-columns.ts'
import type { Projections } from './projections.ts'
import { recordFrom } from './record-columns.ts'
import type { Settling } from './settling.ts'
import type { SlotNumbers } from './slot-numbers.ts'
import { IDEMPOTENCY } from './table-names.ts'

export interface LoadingParts {
  readonly engine: Engine
  readonly settling: Settling
  readonly shards: Shards
  readonly numbers: SlotNumbers
  readonly projections: Projections
  readonly places: HeldPlaces
}

/** Longer than anybody takes between taking a place and deciding over it: what is older may have been left behind. */
const OLD_MS = 30_000

/** Reads what one decision needs, each thing once. */
export class Loading {
  readonly #parts: LoadingParts
  readonly #cells = new Map<string, Promise<AzureCell>>()
  readonly #slots = new Map<string, readonly SlotRowRead[]>()
  /** Epoch milliseconds of the decision: what is over when it is read may not have been over then. */
  readonly #at: number

  constructor(parts: LoadingParts, at = parts.engine.time.now()) {
    this.#parts = parts
    this.#at = at
  }

  /** The rows of a limit, if they were read. */
  readonly rowsOf = (slot: SlotKey): readonly SlotRowRead[] | undefined => this.#slots.get(nameOfSlot(slot))

  /** How often records were read: what was read at once is of one moment, or nearly. */
  reads = 0

  async load(wanted: Wanted): Promise<Loaded> {
    if (wanted.jobs.length + wanted.records.length > 0) this.reads++
    const [cells, claims, slots, refusals, rows] = await Promise.all([
      Promise.all([...wanted.jobs, ...wanted.records].map((key) => this.cell(key))),
      Promise.all(wanted.claims.map((claim) => this.#claim(claim))),
      Promise.all(wanted.slots.map((slot) => this.#slot(slot))),
      Promise.all(
        wanted.refusals.map(async (of) => {
          const { table, pk, rk } = refusalRef(of)
          const row = await this.#parts.engine.service.get(table, pk, rk)
          return { ...of, count: (row?.columns.count as number | undefined) ?? 0 }
        }),
      ),
      Promise.all(wanted.rows.map((row) => this.#closedRow(row))),
    ])
    return {
      jobs: [],
      records: [],
      cells,
      claims: claims.filter((claim) => claim !== null),
      slots,
      refusals,
      rows: rows.filter((row) => row !== null),
    }
  }

  cell(key: RecordKey): Promise<AzureCell> {
    const name = nameOfKey(key)
    const known = this.#cells.get(name)
    if (known !== undefined) return known
    const reading = this.#parts.settling.settled(key)
    this.#cells.set(name, reading)
    return reading
  }

  async ownerOf(claim: ClaimKey): Promise<string | null> {
    return (await this.#claim(claim))?.owner ?? null
  }

  /** Who owns it; somebody who only may is waited for. */
  async #claim(claim: ClaimKey): Promise<Claim | null> {
    const { engine, settling, shards } = this.#parts
    const { table, pk, rk } = shards.claimRef(claim)
    const row = await engine.service.get(table, pk, rk)
    if (row === null) return null
    const found = claimOfRow(row)
    if (found.tentative === null) return found
    const { change, by } = found.tentative
    if ((await settling.outcomeOf(change, by)) === 'decided') return found
    await engine.service.write(table, pk, [{ verb: 'delete', rk, etag: found.etag }])
    return this.#claim(claim)
  }

  async #slot(slot: SlotKey): Promise<SlotRow> {
    const { numbers: known } = this.#parts
    const { turn } = known
    const rows = await this.#slotRows(slot)
    const now = this.#at
    const { tenant_id, key } = slot
    this.#slots.set(nameOfSlot(slot), rows)
    const numbers = (some: readonly SlotRowRead[]) => some.map(({ number }) => number)
    known.know(slot, numbers(rows), numbers(rows.filter((row) => !isActive(row, now))), turn)
    return {
      tenant_id,
      key,
      version: 0,
      counted: rows.filter(({ isJobs }) => isJobs).length,
      named: rows
        .filter((row) => !row.isJobs && isActive(row, now))
        .map(({ owner, until }) => [owner, until]),
    }
  }

  async #slotRows(slot: SlotKey): Promise<readonly SlotRowRead[]> {
    const { engine, shards } = this.#parts
    const { from: rkFrom, before: rkBefore } = slotRange(slot)
    const found: SlotRowRead[] = []
    for (const pk of shards.partitionsOf(slot.tenant_id)) {
      for (let next: string | undefined; ; ) {
        const page = await engine.service.query(IDEMPOTENCY, { pk, rkFrom, rkBefore, next })
        found.push(...page.rows.map(slotOfRow))
        if (page.next === null) break
        next = page.next
      }
    }
    const kept = await Promise.all(found.map((row) => this.#isHeld(row)))
    return found.filter((_, n) => kept[n]).map((row) => (this.#isYoung(row) ? withoutOwner(row) : row))
  }

  /** One that was taken a while ago may have been left behind by somebody who never came to decide. */
  async #isHeld(row: SlotRowRead): Promise<boolean> {
    return this.#isYoung(row) || this.#parts.places.isHeld(row)
  }

  /** Somebody may just be about to decide what it is taken for. */
  #isYoung({ tentative }: SlotRowRead): boolean {
    return tentative !== null && this.#parts.engine.time.now() - tentative.at < OLD_MS
  }

  async #closedRow({ tenant_id, id }: { tenant_id: string; id: string }): Promise<ClosedRow | null> {
    const found = await this.#parts.projections.findOutbox(tenant_id, id)
    if (found === null) return null
    return closedRow(recordFrom('outbox', whole(found.columns), found.etag))
  }
}

/**
 * A place that is taken for the case that something is decided counts, but is nobody's yet: whoever decides on the same job
 * must not take it for theirs, since it goes with the one who put it there. Of a place of a job the job's own row tells.
 */
function withoutOwner(row: SlotRowRead): SlotRowRead {
  const { isJobs, owner, tentative } = row
  return isJobs ? row : { ...row, owner: `${owner} (${tentative?.change})` }
}

function nameOfSlot({ tenant_id, key }: SlotKey): string {
  return `${tenant_id}\n${key}`
}
