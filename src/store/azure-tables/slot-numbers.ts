import type { SlotKey } from '../../core/decision.ts'
import { SECOND_MS } from '../../core/time.ts'
import type { Random } from '../../world/random.ts'
import type { Timers } from '../../world/timers.ts'
import { RecentlyUsed } from '../recently-used.ts'

/** Limits whose places are remembered. */
const MOST_LIMITS = 1000
/** Without a limit there is no telling how many there are: any number will do, and none is likely to be taken. */
const MANY = 2 ** 40

/** How long it is believed that nobody else has a place above a limit: others may know of a higher one. */
const KNOWN_MS = 30 * SECOND_MS

interface Known {
  /** Those that have a row. */
  readonly taken: Set<number>
  /** Those among them that nobody holds any more, since their time is over. */
  readonly past: Set<number>
  /** All from this number on are known. */
  from: number
  /** Those that were taken here, and since when whoever reads finds them. */
  readonly own: Map<number, number>
}

/**
 * Which places under limits are taken, as far as this process has heard. Taking one that is not free fails by itself, so
 * being wrong about those below the limit costs a try. Those above it are held by who had another limit, or none.
 */
export class SlotNumbers {
  readonly #random: Random
  readonly #timers: Timers
  readonly #known = new RecentlyUsed<string, Known>(MOST_LIMITS)
  /** Grows with everything that is written. */
  #turn = 0

  constructor({ random, timers }: { readonly random: Random; readonly timers: Timers }) {
    this.#random = random
    this.#timers = timers
  }

  /** Say it before something is read, and with what was read: what is taken here meanwhile may not be in that. */
  get turn(): number {
    return this.#turn
  }

  /** All that are taken, and those among them whose time is over. */
  know(slot: SlotKey, numbers: Iterable<number>, past: Iterable<number> = [], turn = this.#turn): void {
    const own = this.#since(slot, turn)
    this.#learn(slot, { taken: new Set([...numbers, ...own.keys()]), past: new Set(past), from: 0, own })
  }

  knowsAbove(slot: SlotKey, max: number): boolean {
    return (this.#known.get(nameOf(slot))?.from ?? Number.POSITIVE_INFINITY) <= max
  }

  /** All that are taken from this number on. */
  knowAbove(slot: SlotKey, max: number, numbers: Iterable<number>, turn = this.#turn): void {
    const { taken, past } = this.#known.get(nameOf(slot)) ?? nothing()
    const below = (some: ReadonlySet<number>) => [...some].filter((number) => number < max)
    const own = this.#since(slot, turn)
    this.#learn(slot, {
      taken: new Set([...below(taken), ...numbers, ...own.keys()]),
      past: new Set(below(past)),
      from: max,
      own,
    })
  }

  /** It is going to be taken: nobody finds it yet. */
  take(slot: SlotKey, number: number): void {
    const known = this.#known.get(nameOf(slot)) ?? nothing()
    known.taken.add(number)
    known.past.delete(number)
    known.own.set(number, Number.POSITIVE_INFINITY)
    this.#known.set(nameOf(slot), known)
  }

  took(slot: SlotKey, number: number): void {
    this.#turn++
    const own = this.#known.get(nameOf(slot))?.own
    if (own?.has(number) === true) own.set(number, this.#turn)
  }

  /** Nothing is known of it any more, but for what is just being taken here. */
  forget(slot: SlotKey, number: number): void {
    const own = this.#since(slot, this.#turn)
    own.delete(number)
    this.#known.set(nameOf(slot), { ...nothing(), taken: new Set(own.keys()), own })
  }

  /** How many of the first places may be taken: each that is held above them is one less. */
  room(slot: SlotKey, max: number): number {
    return roomIn(this.#known.get(nameOf(slot)) ?? nothing(), max)
  }

  /**
   * One below the limit that seems to be free, of those with the given remainder if there is one; null when none does.
   * Whoever holds one above it is counted.
   */
  choose(slot: SlotKey, max: number, shard: { readonly of: number; readonly count: number }): number | null {
    const { taken } = this.#known.get(nameOf(slot)) ?? nothing()
    const room = Math.min(this.room(slot, max), MANY)
    if (room <= 0) return null
    const start = Math.floor(this.#random.next() * room)
    let other: number | null = null
    for (let step = 0; step < Math.min(room, taken.size + shard.count); step++) {
      const number = (start + step) % room
      if (taken.has(number)) continue
      if (number % shard.count === shard.of) return number
      other ??= number
    }
    return other
  }

  /** Those that whoever read at that time may not have found. */
  #since(slot: SlotKey, turn: number): Map<number, number> {
    const { own } = this.#known.get(nameOf(slot)) ?? nothing()
    return new Map([...own].filter(([, since]) => since > turn))
  }

  #learn(slot: SlotKey, known: Known): void {
    const name = nameOf(slot)
    this.#known.set(name, known)
    this.#timers.after(KNOWN_MS, () => {
      known.from = Number.POSITIVE_INFINITY
    })
  }
}

function roomIn({ taken, past }: Known, max: number): number {
  for (let room = max; ; ) {
    let above = 0
    for (const number of taken) if (number >= room && !past.has(number)) above++
    if (max - above === room || room <= 0) return room
    room = max - above
  }
}

const nothing = (): Known => ({
  taken: new Set(),
  past: new Set(),
  from: Number.POSITIVE_INFINITY,
  own: new Map(),
})

function nameOf({ tenant_id, key }: SlotKey): string {
  return `${tenant_id}\n${key}`
}
