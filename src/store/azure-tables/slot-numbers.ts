import { LRUCache } from 'lru-cache'
import type { SlotKey } from '../../core/decision.ts'
import type { Random } from '../../world/random.ts'

/** Limits whose places are remembered. */
const MOST_LIMITS = 1000
/** Without a limit there is no telling how many there are: any number will do, and none is likely to be taken. */
const MANY = 2 ** 40

/**
 * Which places under limits are taken, as far as this process has heard. Taking one that is not free fails by itself, so
 * being wrong costs a try.
 */
export class SlotNumbers {
  readonly #random: Random
  readonly #taken = new LRUCache<string, Set<number>>({ max: MOST_LIMITS })

  constructor(random: Random) {
    this.#random = random
  }

  /** All that are taken. */
  know(slot: SlotKey, numbers: Iterable<number>): void {
    this.#taken.set(nameOf(slot), new Set(numbers))
  }

  took(slot: SlotKey, number: number): void {
    const name = nameOf(slot)
    const taken = this.#taken.get(name)
    if (taken === undefined) this.#taken.set(name, new Set([number]))
    else taken.add(number)
  }

  gave(slot: SlotKey, number: number): void {
    this.#taken.get(nameOf(slot))?.delete(number)
  }

  /**
   * Nothing is known of it any more.
   */
  forget(slot: SlotKey): void {
    this.#taken.delete(nameOf(slot))
  }

  /**
   * One below the limit that seems to be free, of those with the given remainder if there is one; null when none does.
   * Whoever was let past the limit holds one above it, and is counted.
   */
  choose(slot: SlotKey, max: number, shard: { readonly of: number; readonly count: number }): number | null {
    const taken = this.#taken.get(nameOf(slot))
    let above = 0
    for (const number of taken ?? []) if (number >= max) above++
    const room = Math.min(max - above, MANY)
    if (room <= 0) return null
    const start = Math.floor(this.#random.next() * room)
    let other: number | null = null
    for (let step = 0; step < Math.min(room, (taken?.size ?? 0) + shard.count); step++) {
      const number = (start + step) % room
      if (taken?.has(number) === true) continue
      if (number % shard.count === shard.of) return number
      other ??= number
    }
    return other
  }
}

function nameOf({ tenant_id, key }: SlotKey): string {
  return `${tenant_id}\n${key}`
}
