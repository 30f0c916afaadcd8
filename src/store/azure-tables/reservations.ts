import type { Claim, SlotKey } from '../../core/decision.ts'
import { Conflict } from '../tables/tables.ts'
import type { RowRef } from './azure-cell.ts'
import type { Engine } from './engine.ts'
import {
  claimColumns,
  isActive,
  type Shards,
  type SlotRowRead,
  slotColumns,
  slotOfRow,
  slotRangeFrom,
  type Tentative,
} from './idempotency-rows.ts'
import type { Plan, PlannedCell } from './plan.ts'
import { type Columns, MOST_ROWS_AT_ONCE, type RowWrite } from './service.ts'
import type { SlotNumbers } from './slot-numbers.ts'
import type { Take } from './slot-plan.ts'
import { IDEMPOTENCY } from './table-names.ts'

/** A row that is there in case that a change is decided. */
export interface Reserved {
  readonly ref: RowRef
  readonly etag: string
  readonly take: Take | null
  /** The claim is of a job that is made by the very row that decides: that row tells that it is right. */
  readonly isToldByOwner: boolean
  readonly was: Columns | null
}

/** A row that is to be there. */
export interface Wanted {
  readonly ref: RowRef
  readonly columns: (tentative: Tentative | null) => Columns
  /** Of the row that it takes the place of, if there is one. */
  readonly etag: string | null
  readonly take: Take | null
  readonly isToldByOwner: boolean
  /** What its owner has had all along, and has again if this comes to nothing. */
  readonly was: Columns | null
}

/** Who may know of the rows of a limit that were read for a decision. */
export type SlotRows = (slot: SlotKey) => readonly SlotRowRead[] | undefined

/** Keys and places under limits, taken before it is decided who has them. */
export class Reservations {
  readonly #engine: Engine
  readonly #shards: Shards
  readonly #numbers: SlotNumbers

  constructor(engine: Engine, shards: Shards, numbers: SlotNumbers) {
    this.#engine = engine
    this.#shards = shards
    this.#numbers = numbers
  }

  /** What a change wants. Places are chosen now, and nobody here chooses the same until they are taken or forgotten. */
  async wanted({ claims, slots, cells, at }: Plan, rowsOf: SlotRows): Promise<readonly Wanted[]> {
    for (const take of slots.takes)
      if (!this.#numbers.knowsAbove(take, take.max)) await this.#lookAbove(take, at)
    return [
      ...claims.map((claim) => this.#claim(claim, cells)),
      ...this.#places(slots.takes, { claims, at, rowsOf }),
    ]
  }

  /** All of them, or a conflict and none. Without somebody who decides they are had at once. */
  async reserve(
    { id, at }: Plan,
    wanted: readonly Wanted[],
    decider: { readonly by: RowRef; readonly lane: number } | null,
  ): Promise<readonly Reserved[]> {
    const tentative = decider === null ? null : { change: id, at, ...decider }
    const reserved: Reserved[] = []
    try {
      for (const group of groupsOf(wanted)) reserved.push(...(await this.#write(id, group, tentative)))
      return reserved
    } catch (error) {
      this.forget(wanted)
      await this.release(reserved)
      throw error
    }
  }

  /** Nobody has decided. Should this fail, whoever comes upon them finds out. */
  async release(reserved: readonly Reserved[]): Promise<void> {
    this.forget(reserved)
    await Promise.all(
      reserved.map(async ({ ref, etag, was }) => {
        const { table, pk, rk } = ref
        const write: RowWrite =
          was === null ? { verb: 'delete', rk, etag } : { verb: 'put', rk, columns: was, etag }
        await this.#engine.service.write(table, pk, [write]).catch(() => {})
      }),
    )
  }

  /** Nothing has come of it. */
  forget(wanted: readonly Pick<Wanted, 'take' | 'ref'>[]): void {
    for (const { take, ref } of wanted) if (take !== null) this.#numbers.forget(take, numberOf(ref.rk))
  }

  /** Who holds a place above the limit: they had a higher one, or none. Nearly always nobody does. */
  async #lookAbove(take: Take, at: number): Promise<void> {
    const { from: rkFrom, before: rkBefore } = slotRangeFrom(take, take.max)
    const numbers: number[] = []
    const { turn } = this.#numbers
    for (const pk of this.#shards.partitionsOf(take.tenant_id)) {
      const { rows } = await this.#engine.service.query(IDEMPOTENCY, { pk, rkFrom, rkBefore })
      const held = rows.map(slotOfRow).filter((row) => isActive(row, at))
      numbers.push(...held.map(({ number }) => number))
    }
    this.#numbers.knowAbove(take, take.max, numbers, turn)
  }

  #claim(claim: Claim, cells: readonly PlannedCell[]): Wanted {
    const by = cells[0]?.before
    const isToldByOwner =
      by !== undefined &&
      by.key.kind === 'job' &&
      by.aggregate === null &&
      by.key.id === claim.owner &&
      by.key.tenant_id === claim.tenant_id
    return {
      ref: this.#shards.claimRef(claim),
      columns: (tentative) => claimColumns(claim, tentative),
      etag: null,
      take: null,
      isToldByOwner,
      was: null,
    }
  }

  #places(
    takes: readonly Take[],
    { claims, at, rowsOf }: Pick<Plan, 'claims' | 'at'> & { readonly rowsOf: SlotRows },
  ): readonly Wanted[] {
    const chosen = new Set<string>()
    const wanted: Wanted[] = []
    for (const take of takes) {
      const columns = (tentative: Tentative | null) =>
        slotColumns({ ...take, isJobs: take.job !== null }, tentative)
      const rows = rowsOf(take) ?? []
      const own = rows.find(({ owner }) => owner === take.owner)
      const room = this.#numbers.room(take, take.max)
      const over = rows.find((row) => row.number < room && !isActive(row, at) && !chosen.has(row.ref.rk))
      const there = own ?? over
      const was = own === undefined ? null : slotColumns(own, own.tentative)
      const base = { columns, take, isToldByOwner: false, was }
      if (there !== undefined) {
        chosen.add(there.ref.rk)
        this.#numbers.take(take, there.number)
        wanted.push({ ...base, ref: there.ref, etag: there.etag })
        continue
      }
      const claim = claims.find(({ tenant_id }) => tenant_id === take.tenant_id)
      const shard = { of: claim === undefined ? 0 : this.#shards.shardOf(claim), count: this.#shards.count }
      const number = this.#numbers.choose(take, take.max, shard)
      if (number === null) {
        this.forget(wanted)
        throw new Conflict('every place seems to be taken')
      }
      // Whatever becomes of it: nobody here is to try the same one meanwhile.
      this.#numbers.take(take, number)
      wanted.push({ ...base, ref: this.#shards.slotRef(take, number), etag: null })
    }
    return wanted
  }

  async #write(
    change: string,
    wanted: readonly Wanted[],
    tentative: Tentative | null,
  ): Promise<readonly Reserved[]> {
    const { pk } = (wanted[0] as Wanted).ref
    const { service } = this.#engine
    const writes = wanted.map(({ ref, columns, etag }): RowWrite => {
      const row = { rk: ref.rk, columns: columns(tentative) }
      return etag === null ? { verb: 'insert', ...row } : { verb: 'put', ...row, etag }
    })
    const answer = await service.write(IDEMPOTENCY, pk, writes)
    const reserved = (etags: readonly string[]) => {
      for (const { take, ref } of wanted) if (take !== null) this.#numbers.took(take, numberOf(ref.rk))
      return wanted.map((one, n) => ({ ...one, etag: etags[n] as string }))
    }
    if (answer.ok) return reserved(answer.etags)
    if (answer.unsure) {
      const rows = await Promise.all(wanted.map(({ ref }) => service.get(IDEMPOTENCY, pk, ref.rk)))
      if (rows.every((row) => row?.columns.change === change))
        return reserved(rows.map((row) => row?.etag ?? ''))
    }
    throw new Conflict('somebody else has the key or the place')
  }
}

/** By partition, no more than can be written at once. */
export function groupsOf(wanted: readonly Wanted[]): readonly (readonly Wanted[])[] {
  const byPartition = Object.groupBy(wanted, ({ ref }) => ref.pk)
  return Object.values(byPartition).flatMap((some = []) =>
    Array.from({ length: Math.ceil(some.length / MOST_ROWS_AT_ONCE) }, (_, n) =>
      some.slice(n * MOST_ROWS_AT_ONCE, (n + 1) * MOST_ROWS_AT_ONCE),
    ),
  )
}

function numberOf(rk: string): number {
  return Number(rk.slice(rk.lastIndexOf('~') + 1))
}
