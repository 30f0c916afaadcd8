/** A few of the same, each lent to one at a time; whoever finds none waits until it is their turn. */
export class Lanes<T> {
  readonly all: readonly T[]
  readonly #free: T[]
  readonly #waiting: ((lane: T) => void)[] = []

  constructor(all: readonly T[]) {
    this.all = all
    // The last one given back is the first one lent: the others may rest.
    this.#free = [...all].reverse()
  }

  take(): Promise<T> {
    const lane = this.#free.pop()
    if (lane !== undefined) return Promise.resolve(lane)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  give(lane: T): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free.push(lane)
    else next(lane)
  }

  async use<A>(work: (lane: T) => Promise<A>): Promise<A> {
    const lane = await this.take()
    try {
      return await work(lane)
    } finally {
      this.give(lane)
    }
  }
}
