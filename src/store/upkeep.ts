import type { Store } from './store.ts'

/**
 * Has a store clear up whenever so much was written to it, while more is being written. It would do so by itself, but fall
 * behind, and have everything in memory until then: so the next time waits for the one before, and the work with it.
 */
export class Upkeep {
  readonly #store: Store
  readonly #every: number
  #written = 0
  #underWay: Promise<unknown> = Promise.resolve()

  constructor(store: Store, every: number) {
    this.#store = store
    this.#every = every
  }

  /** So much more is durable. */
  async written(amount: number): Promise<void> {
    this.#written += amount
    if (this.#written < this.#every) return
    this.#written = 0
    await this.#underWay
    this.#underWay = this.#store.maintain()
    // Whoever waits for it is told; until then nobody is.
    this.#underWay.catch(() => {})
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#underWay
  }
}
