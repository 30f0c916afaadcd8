/** So many of them, more or less, make the average. */
const ONES_THAT_COUNT = 16

/**
 * Whether something is done so quickly that it is better waited for than handed to another thread. It goes by what the last
 * ones took, so that what has become slow holds up nobody but those who wait for it.
 */
export class Quickness {
  readonly #quickMs: number
  /** The latest count most. */
  #averageMs: number

  /** Not known to be quick before it has been for a while, unless it is said what to begin with. */
  constructor(quickMs: number, averageMs: number = quickMs * 2) {
    this.#quickMs = quickMs
    this.#averageMs = averageMs
  }

  get isQuick(): boolean {
    return this.#averageMs < this.#quickMs
  }

  took(ms: number): void {
    this.#averageMs += (ms - this.#averageMs) / ONES_THAT_COUNT
  }
}
