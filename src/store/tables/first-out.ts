/** Moving up costs less than what has left did. */
const TOLERATED_GAP = 1000

/** Those that came first leave first. */
export class FirstOut<T> {
  #all: T[] = []
  #front = 0

  push(one: T): void {
    this.#all.push(one)
  }

  get size(): number {
    return this.#all.length - this.#front
  }

  /** Undefined when there is none. */
  shift(): T | undefined {
    if (this.size === 0) return undefined
    const one = this.#all[this.#front++] as T
    if (this.#front > TOLERATED_GAP && 2 * this.#front > this.#all.length) {
      this.#all = this.#all.slice(this.#front)
      this.#front = 0
    }
    return one
  }
}
