import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given, SlotKey } from '../../core/decision.ts'
import { plainQueue } from '../../core/pick.ts'
import type { LookAtReady, Sweep, Swept } from '../store.ts'
import { lookAt, queueKey } from '../tables/shown-view.ts'
import type { ReadySelect, SlotHolder } from '../tables/tables.ts'
import { Workspace } from '../tables/workspace.ts'
import type { AzureCell } from './azure-cell.ts'
import { Crowd } from './crowd.ts'
import type { Engine } from './engine.ts'
import { IdleQueues } from './idle-queues.ts'
import type { KnownQueues } from './known-queues.ts'
import { lineOfIndexed } from './lane-rows.ts'
import { Loading, type LoadingParts } from './loading.ts'
import type { Receipts } from './receipts.ts'
import type { RememberedCells } from './remembered-cells.ts'
import type { Signals } from './signals.ts'
import type { Transacting } from './transacting.ts'
import { jobOfWhole } from './whole-job.ts'
import { type IndexedHead, type IndexedRow, jobOfRow, type WorkIndex } from './work-index.ts'

/** Work that was found, and the lanes in which there is nothing else and in which more would be heard of. */
interface Found {
  readonly found: readonly IndexedHead[]
  readonly whole: readonly number[]
  readonly asOf: ReadonlyMap<number, number>
}

export type DecideOn<A> = (key: RecordKey, given: Given) => Decision<A>

export interface SweepingParts extends LoadingParts {
  readonly transacting: Transacting
  readonly index: WorkIndex
  readonly memory: RememberedCells
  readonly queues: KnownQueues
  readonly receipts: Receipts
  /** Whether whatever is put into a lane is heard of here. */
  readonly isHeard: (lane: number) => boolean
  readonly signals: Signals
}

/** Pieces of one sweep that are worked on at the same time. */
const AT_ONCE = 16
/** Lanes that are looked at at the same time. */
const LANES_AT_ONCE = 16
const MOST_DOUBTED = 1000

/** Finds work and decides on each piece by itself. */
export class Sweeping {
  readonly #engine: Engine
  readonly #parts: SweepingParts
  /** What sweeps of this process are just deciding on: others would only come too late. */
  readonly #taken = new Set<string>()
  readonly #idle = new IdleQueues()
  readonly #readyCrowd: Crowd
  readonly #dueCrowd: Crowd
  /** Rows of work that somebody else had. */
  readonly #doubted = new Set<string>()

  constructor(parts: SweepingParts) {
    this.#engine = parts.engine
    this.#parts = parts
    this.#readyCrowd = new Crowd(parts.engine.random)
    this.#dueCrowd = new Crowd(parts.engine.random)
  }

  async sweep<A>(selector: Sweep, decide: DecideOn<A>): Promise<readonly Swept<A>[]> {
    switch (selector.what) {
      case 'ready':
        return this.#ready(selector, decide)
      case 'due':
        return this.#due(selector.limit, decide)
      case 'signalled':
        return this.#signalled(selector.limit, decide)
    }
  }

  /** There is work in some queues of a lane, or may be in any. */
  hear(lane: number, queues: readonly string[] | null): void {
    this.#idle.hear(lane, queues)
  }

  /** Shows what is ready, and what bears on it. */
  async look<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    const select = { queues: [...new Set(queues)], perGroup }
    const { index } = this.#parts
    const { heads } = await index.heads(await index.lanes(), select, (head) => this.#isTrue(head))
    return (await this.#lookAt(heads, queues, look)).answer
  }

  async #ready<A>(
    { queues, perGroup, most, tenants, pick }: Extract<Sweep, { readonly what: 'ready' }>,
    decide: DecideOn<A>,
  ): Promise<readonly Swept<A>[]> {
    const crowd = this.#readyCrowd
    const { width } = crowd
    const select = {
      queues: [...new Set(queues)],
      perGroup: perGroup * width,
      most: most === undefined ? undefined : most * width,
      tenants: tenants === undefined ? undefined : [...new Set(tenants)],
    }
    const { found, whole, asOf } = await this.#find(select)
    const free = found.filter(({ key }) => !this.#taken.has(nameOfKey(key)))
    const heads = crowd.part(free, isLimited)
    const { answer, known } = await this.#lookAt(heads, queues, pick)
    const chosen = answer.map(
      ({ key }) => heads.find((head) => nameOfKey(head.key) === nameOfKey(key)) as IndexedHead,
    )
    // Who shares a limit goes one after the other: the first of them is to have it.
    const swept = await this.#each(chosen, chosen.some(isLimited) ? 1 : AT_ONCE, async (head) => {
      const one = await this.#decide(head.key, decide, [...known, ...this.#shown(head)])
      if (!one.outcome.ok) await this.#doubt(head)
      return one
    })
    const lost = swept.filter(({ outcome }, n) => !outcome.ok && !isLimited(chosen[n] as IndexedHead))
    crowd.tried(swept.length, lost.length)
    const won = new Set(chosen.filter((_, n) => swept[n]?.outcome.ok === true))
    const left = new Set(found.filter((head) => !won.has(head)).map(({ lane }) => lane))
    if (tenants === undefined)
      this.#idle.add(
        whole.filter((lane) => !left.has(lane)),
        queues,
        asOf,
      )
    return swept
  }

  /** In a few lanes at a time, until there is something. */
  async #find(select: ReadySelect): Promise<Found> {
    const { index, isHeard } = this.#parts
    // Until something is heard of it, there is nothing where there was nothing.
    const isIdle = (lane: number) => isHeard(lane) && this.#idle.has(lane, select.queues)
    const lanes = (await index.lanes()).filter((lane) => !isIdle(lane))
    for (let from = 0; from < lanes.length; from += LANES_AT_ONCE) {
      const some = lanes.slice(from, from + LANES_AT_ONCE)
      const asOf = this.#idle.now(some)
      const { heads: found, whole } = await index.heads(some, select, (head) => this.#isTrue(head))
      const heard = [...whole].filter(isHeard)
      if (found.length > 0) return { found, whole: heard, asOf }
      if (select.tenants === undefined) this.#idle.add(heard, select.queues, asOf)
    }
    return { found: [], whole: [], asOf: new Map() }
  }

  async #due<A>(limit: number, decide: DecideOn<A>): Promise<readonly Swept<A>[]> {
    const crowd = this.#dueCrowd
    const due = await this.#parts.index.due(this.#engine.time.now(), limit)
    const rows = crowd.part(due, () => false)
    const swept = await this.#each(rows, AT_ONCE, async (row) => {
      const cell = await this.#cellOf(row, 'due')
      return cell === null ? null : this.#decide(jobOfRow(row.row), decide, [cell])
    })
    const won = swept.filter((one) => one !== null)
    crowd.tried(swept.length, swept.length - won.length)
    return won
  }

  async #signalled<A>(limit: number, decide: DecideOn<A>): Promise<readonly Swept<A>[]> {
    const { signals } = this.#parts
    const told: Swept<A>[] = []
    for await (const { concerned, done } of signals.deliveries(limit)) {
      const swept = await this.#each(concerned, AT_ONCE, (key) => this.#decide(key, decide, []))
      told.push(...swept)
      await done()
    }
    return told
  }

  async #decide<A>(key: RecordKey, decide: DecideOn<A>, known: readonly AzureCell[]): Promise<Swept<A>> {
    const outcome = await this.#parts.transacting.decideOn(key, (given) => decide(key, given), known)
    return { key, outcome }
  }

  /** Each piece, so many at a time. One that fails does not keep the others; whoever asked is told in the end. */
  async #each<T, R>(
    pieces: readonly T[],
    atOnce: number,
    work: (piece: T) => Promise<R>,
  ): Promise<readonly R[]> {
    const names = pieces.map((piece) => nameOf(piece)).filter((name) => name !== null)
    for (const name of names) this.#taken.add(name)
    const results: R[] = []
    const failures: unknown[] = []
    const left = pieces.entries()
    const worker = async () => {
      for (const [n, piece] of left) {
        try {
          results[n] = await work(piece)
        } catch (error) {
          failures.push(error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, pieces.length) }, worker))
    for (const name of names) this.#taken.delete(name)
    if (failures.length > 0) throw failures[0]
    return results
  }

  async #lookAt<T>(
    heads: readonly IndexedHead[],
    queues: readonly string[],
    look: LookAtReady<T>,
  ): Promise<{ readonly answer: T; readonly known: readonly AzureCell[] }> {
    const { time, ids } = this.#engine
    const loading = new Loading(this.#parts)
    const space = new Workspace({ now: time.now(), ids, remembered: null })
    const names = [...new Set(queues.map(plainQueue))]
    const assumed = names.flatMap((name) => this.#parts.queues.get(name) ?? [])
    for (const cell of assumed) space.assumeCell(cell)
    const know = assumed.length < names.length ? this.#parts.queues.reading() : () => {}
    const holders = async (slots: readonly SlotKey[]): Promise<readonly SlotHolder[]> =>
      slots.flatMap((slot) =>
        (loading.rowsOf(slot) ?? []).filter(({ isJobs }) => isJobs).map(({ owner }) => ({ ...slot, owner })),
      )
    const looking = {
      space,
      heads: heads.map(({ key, ready }) => ({ key, ready })),
      load: (wanted: Parameters<Loading['load']>[0]) => loading.load(wanted),
      holders,
    }
    const answer = await lookAt(looking, look)
    const known = names.flatMap((name) => {
      const cell = space.cellOf(queueKey(name))
      return cell === undefined ? [] : [cell.stored as AzureCell]
    })
    // Those that were assumed are no younger for having been used.
    know(known.filter((cell) => !assumed.includes(cell)))
    return { answer, known }
  }

  /** As far as this process knows. */
  #isTrue({ key, lane, row }: IndexedHead): boolean {
    const cell = this.#parts.memory.cell(key.kind, key.tenant_id, key.id)
    if (cell === undefined || cell.version < (row.columns.v as number)) return true
    return cell.meta.job?.index.lane === lane && cell.meta.job.index.ready === row.rk
  }

  /** The job as the index has it: by somebody else, or this process would know it itself. */
  #shown({ key, lane, row }: IndexedHead): readonly AzureCell[] {
    if (this.#parts.memory.cell(key.kind, key.tenant_id, key.id) !== undefined) return []
    const cell = jobOfWhole(key, row, lane)
    return cell === null ? [] : [cell]
  }

  /** Somebody else was faster, and takes the row away in a moment; one that is still there later on is old. */
  async #doubt(head: IndexedHead): Promise<void> {
    const name = `${head.lane} ${head.row.rk}`
    if (this.#doubted.delete(name)) await this.#cellOf(head, 'ready')
    else this.#doubted.add(name)
    if (this.#doubted.size > MOST_DOUBTED) this.#doubted.clear()
  }

  /** The job that a row of the index leads to; null when it does no longer, and then the row goes. */
  async #cellOf(indexed: IndexedRow, what: 'ready' | 'due'): Promise<AzureCell | null> {
    const { memory, settling, index, receipts } = this.#parts
    const key = jobOfRow(indexed.row)
    const isTrue = (cell: AzureCell) =>
      cell.meta.job?.index.lane === indexed.lane && cell.meta.job.index[what] === indexed.row.rk
    const known = memory.cell(key.kind, key.tenant_id, key.id)
    if (known !== undefined && isTrue(known)) return known
    // The row came with the line that finished the change.
    const { change } = indexed.row.columns as { change: string }
    if (receipts.known(change) === null)
      receipts.know(change, { lane: indexed.lane, ...lineOfIndexed(indexed.row) })
    const cell = await settling.settled(key)
    if (isTrue(cell)) return cell
    await index.drop(indexed)
    return null
  }
}

function isLimited({ ready }: IndexedHead): boolean {
  return ready.limits.length > 0
}

function nameOf(piece: unknown): string | null {
  const { key, kind } = piece as { readonly key?: RecordKey; readonly kind?: string }
  if (key !== undefined) return nameOfKey(key)
  return kind === 'job' ? nameOfKey(piece as RecordKey) : null
}
