import { LRUCache } from 'lru-cache'
import type { SlotKey } from '../../core/decision.ts'
import { SECOND_MS } from '../../core/time.ts'
import type { Random } from '../../world/random.ts'
import type { Timers } from '../../world/timers.ts'

/** Limits whose places are remembered. */
const MOST_LIMITS = 1000
/** Without a limit there is no telling how many there are: any number will do, and none is likely to be taken. */
const MANY = 2 ** 40

/** How long it is believed that nobody else has a place above a limit: others may know of a higher one. */
const KNOWN_MS = 30 * SECOND_MS

interface Known {
  readonly taken: Set<number>
  /** All from this number on are known. */
  from: number
}

/**
 * Which places under limits are taken, as far as this process has heard. Taking one that is not free fails by itself, so
 * being wrong about those below the limit costs a try. Those above it are held by who had another limit, or none.
 */
export class SlotNumbers {
  readonly #random: Random
  readonly #timers: Timers
  readonly #known = new LRUCache<string, Known>({ max: MOST_LIMITS })

  constructor({ random, timers }: { readonly random: Random; readonly timers: Timers }) {
    this.#random = random
    this.#timers = timers
  }

  /** All that are taken. */
  know(slot: SlotKey, numbers: Iterable<number>): void {
    this.#learn(slot, { taken: new Set(numbers), from: 0 })
  }

  knowsAbove(slot: SlotKey, max: number): boolean {
    return (this.#known.get(nameOf(slot))?.from ?? Number.POSITIVE_INFINITY) <= max
  }

  /** All that are taken from this number on. */
  knowAbove(slot: SlotKey, max: number, numbers: Iterable<number>): void {
    const below = [...(this.#known.get(nameOf(slot))?.taken ?? [])].filter((number) => number < max)
    this.#learn(slot, { taken: new Set([...below, ...numbers]), from: max })
  }

  took(slot: SlotKey, number: number): void {
    const known = this.#known.get(nameOf(slot))
    if (known !== undefined) known.taken.add(number)
    else this.#known.set(nameOf(slot), { taken: new Set([number]), from: Number.POSITIVE_INFINITY })
  }

  gave(slot: SlotKey, number: number): void {
    this.#known.get(nameOf(slot))?.taken.delete(number)
  }

  /** Nothing is known of it any more. */
  forget(slot: SlotKey): void {
    this.#known.delete(nameOf(slot))
  }

  /**
   * One below the limit that seems to be free, of those with the given remainder if there is one; null when none does.
   * Whoever holds one above it is counted.
   */
  choose(slot: SlotKey, max: number, shard: { readonly of: number; readonly count: number }): number | null {
    const taken = this.#known.get(nameOf(slot))?.taken ?? NONE
    const room = Math.min(roomIn(taken, max), MANY)
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

  #learn(slot: SlotKey, known: Known): void {
    const name = nameOf(slot)
    this.#known.set(name, known)
    this.#timers.after(KNOWN_MS, () => {
      known.from = Number.POSITIVE_INFINITY
    })
  }
}

/** How many of the first places there may be: each that is held above them is one less. */
function roomIn(taken: ReadonlySet<number>, max: number): number {
  for (let room = max; ; ) {
    let above = 0
    for (const number of taken) if (number >= room) above++
    if (max - above === room || room <= 0) return room
    room = max - above
  }
}

const NONE: ReadonlySet<number> = new Set()

function nameOf({ tenant_id, key }: SlotKey): string {
  return `${tenant_id}\n${key}`
}
