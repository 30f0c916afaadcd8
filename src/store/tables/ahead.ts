import type { ReadyHead } from '../../core/pick.ts'
import { groupName } from '../live/remaining-work.ts'
import type { ReadyWanted } from '../live/work-index.ts'
import type { Horizon } from './horizons.ts'
import { headOfWaiting, type ReadBirths } from './read-births.ts'
import type { Shelf, Waits } from './shelf.ts'
import type { JobRow, ReadyKey, Tables } from './tables.ts'
import type { Writing } from './writing.ts'

type AheadParts = Pick<Writing, 'tables' | 'shelf' | 'births'>

/** A read of ready work, as far as it was asked for. */
interface Read {
  readonly heads: readonly Waits[]
  /** The last place that was read; null when there is nothing behind it. */
  readonly end: ReadyKey | null
  /** What comes behind these, and is not as it was read. */
  readonly changed: Waits | null
}

/**
 * Reads what is ready without taking it from anybody, for a process that knows all that was written lately: it takes such work
 * like any other that it knows of, and its write tells whether somebody was faster.
 */
export class Ahead {
  readonly #tables: Tables
  readonly #shelf: Shelf
  readonly #births: ReadBirths
  readonly #atOnce: number
  /** When there are fewer left of a group, more of them are read, before anybody waits for that. */
  readonly #few: number
  #reading: Promise<void> | null = null

  /** @param atOnce jobs that are read at once, of all groups together */
  constructor({ tables, shelf, births }: AheadParts, atOnce: number) {
    this.#births = births
    this.#tables = tables
    this.#shelf = shelf
    this.#atOnce = atOnce
    this.#few = Math.ceil(atOnce / 2)
  }

  /** Shows the shelf what comes first in these queues. */
  async look(queues: readonly string[]): Promise<void> {
    await this.#reading
    await this.#begin(() => this.#readFirst([...new Set(queues)]))
  }

  /** Reads on where less is known of some group than somebody wants to see. */
  more(wanted: ReadyWanted): Promise<void> {
    const few = Math.max(this.#few, this.#shelf.seen(wanted))
    return this.#begin(() => this.#readOn(this.#shelf.shortOf(wanted, few)))
  }

  /** The same before it is needed, while nobody waits. */
  ahead(wanted: Pick<ReadyWanted, 'queues' | 'tenants'>): void {
    if (this.#reading !== null) return
    const short = this.#shelf.shortOf(wanted, this.#few)
    // Whoever waits for it is told what is wrong.
    if (short.length > 0) void this.#begin(() => this.#readOn(short)).catch(() => {})
  }

  #begin(read: () => Promise<void>): Promise<void> {
    this.#reading ??= this.#look(read).finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #look(read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } finally {
      this.#shelf.end()
    }
  }

  async #readFirst(queues: readonly string[]): Promise<void> {
    const looking = this.#shelf.begin()
    const rows = await this.#tables.heads({ queues, perGroup: this.#atOnce, most: this.#atOnce })
    const groups = new Map<string, { last: ReadyKey; count: number }>()
    const heads: Waits[] = []
    for (const row of rows) {
      const head = this.#headOf(row)
      if (head === null) continue
      const place = placeOf(head)
      const name = `${place.queue}\n${groupName(place.tenant_id, place.group)}`
      groups.set(name, { last: place, count: (groups.get(name)?.count ?? 0) + 1 })
      heads.push(head)
    }
    const each = Math.max(1, Math.floor(this.#atOnce / Math.max(1, groups.size)))
    const ends = [...groups.values()].filter(({ count }) => count >= each).map(({ last }) => last)
    this.#shelf.sawFirst(looking, queues, heads, ends)
  }

  async #readOn(horizons: readonly Horizon[]): Promise<void> {
    const looking = this.#shelf.begin()
    if (horizons.length === 0) return
    const hidden = horizons.map(({ hidesFrom }) => hidesFrom)
    const read = await this.#readAfter(horizons, hidden, false)
    const left: Horizon[] = []
    for (const [nth, horizon] of horizons.entries()) {
      const { heads, end, changed } = read[nth] as Read
      if (changed !== null) horizon.hide(changed)
      const hides = changed !== null || (end === null && hidden[nth] !== Number.POSITIVE_INFINITY)
      if (hides) left.push(horizon)
      this.#shelf.sawMore(looking, horizon, heads, hides ? lastOf(heads, horizon) : end)
    }
    if (left.length > 0) await this.#readHidden(left)
  }

  /** Has some of what is hidden put in its place, as much as it takes to go on; whoever takes work waits no longer than for that. */
  async #readHidden(horizons: readonly Horizon[]): Promise<void> {
    let left = horizons
    while (left.length > 0) {
      await this.#tables.foldSome?.()
      const from = this.#tables.hiddenFrom ?? null
      if (from === null) return this.#readAll(left)
      left = await this.#readUpTo(left, from)
    }
  }

  /** What comes before anything that is hidden from that rank on. Answers where there is nothing. */
  async #readUpTo(horizons: readonly Horizon[], from: number): Promise<readonly Horizon[]> {
    const looking = this.#shelf.begin()
    try {
      for (const horizon of horizons) horizon.beginToReadAll()
      const before = horizons.map(() => from)
      const read = await this.#readAfter(horizons, before, false)
      return horizons.filter((horizon, nth) => {
        const { heads, end, changed } = read[nth] as Read
        const hidden = changed === null ? from : Math.min(from, changed.ready.rank)
        horizon.hideFrom(hidden)
        const isEnd = hidden === Number.POSITIVE_INFINITY && end === null
        this.#shelf.sawMore(looking, horizon, heads, isEnd ? null : lastOf(heads, horizon))
        return heads.length === 0 && !isEnd
      })
    } finally {
      this.#shelf.end()
    }
  }

  /** What this process has seen come may not be where it is found. */
  async #readAll(horizons: readonly Horizon[]): Promise<void> {
    const looking = this.#shelf.begin()
    try {
      for (const horizon of horizons) horizon.beginToReadAll()
      const read = await this.#readAfter(
        horizons,
        horizons.map(() => Number.POSITIVE_INFINITY),
        true,
      )
      for (const [nth, horizon] of horizons.entries()) {
        const { heads, end } = read[nth] as Read
        this.#shelf.sawMore(looking, horizon, heads, end)
      }
    } finally {
      this.#shelf.end()
    }
  }

  async #readAfter(
    horizons: readonly Horizon[],
    before: readonly number[],
    isSettled: boolean,
  ): Promise<readonly Read[]> {
    const each = Math.max(1, Math.floor(this.#atOnce / horizons.length))
    const after = horizons.map(({ place }, nth) => ({ ...place, before: before[nth] as number }))
    const found = await this.#tables.headsAfter({ after, each, isSettled })
    return found.map((rows, nth) => {
      const heads = rows.flatMap((row) => this.#headOf(row) ?? [])
      const changed = isSettled ? -1 : heads.findIndex(({ key }) => this.#tables.isChanged?.(key) === true)
      return {
        heads: changed === -1 ? heads : heads.slice(0, changed),
        end: rows.length < each ? null : lastOf(heads, horizons[nth] as Horizon),
        changed: heads[changed] ?? null,
      }
    })
  }

  #headOf(row: JobRow): Waits | null {
    const waiting = this.#births.of(row)
    const head = headOfWaiting(waiting)
    return head === null ? null : { ...head, waiting }
  }
}

function placeOf({ key: { tenant_id, id: job_id }, ready: { queue, group, rank } }: ReadyHead): ReadyKey {
  return { queue, tenant_id, group, rank, job_id }
}

function lastOf(heads: readonly ReadyHead[], { place }: Horizon): ReadyKey {
  const last = heads.at(-1)
  return last === undefined ? place : placeOf(last)
}
