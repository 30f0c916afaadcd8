import type { Random } from '../../src/world/random.ts'

/** Questions that chance answers. */
export class Dice {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  chance(of: number): boolean {
    return this.#random.next() < of
  }

  /** A whole number; both ends can come up. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#random.next() * (most - least + 1))
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)] as T
  }

  /** Each as often as its weight says. */
  weighed<K extends string>(weights: { readonly [name in K]: number }): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.#random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return (entries[0] as [K, number])[0]
  }
}
