// Many who look for work find the same work, and all but one of them come too late. Whoever lost such a race looks at more
// work than it takes, and leaves most of it to the others; whoever lost none looks at less again, until it takes the first.
import type { Random } from '../../world/random.ts'

/** How much more is looked at than taken, at most. */
const WIDEST = 16

export class Crowd {
  readonly #random: Random
  #width = 1

  constructor(random: Random) {
    this.#random = random
  }

  /** How many times as much as is wanted is to be looked at. */
  get width(): number {
    return this.#width
  }

  /** The part that is not left to others: what must go in its order, and some of the rest. */
  part<T>(work: readonly T[], mustGoInOrder: (piece: T) => boolean): readonly T[] {
    if (this.#width === 1) return work
    const chance = 1 / this.#width
    const own = work.filter((piece) => mustGoInOrder(piece) || this.#random.next() < chance)
    return own.length === 0 ? work : own
  }

  /** How it went with what was tried. */
  tried(count: number, lost: number): void {
    if (count === 0) return
    if (lost * 2 > count) this.#width = Math.min(WIDEST, this.#width * 4)
    else if (lost * 4 > count) this.#width = Math.min(WIDEST, this.#width * 2)
    else if (lost === 0) this.#width = Math.max(1, this.#width / 2)
  }
}
