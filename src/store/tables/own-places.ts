/** More than can be under way at once: what is missing among so many is not on its way, but somebody else's. */
const MOST_UNDER_WAY = 8

/**
 * Whether all that was added to the log is this process's own. What it wrote may be heard of in another order than it was
 * written in.
 */
export class OwnPlaces {
  #reach: number
  /** Where the next one begins, by where it ends. */
  readonly #ahead = new Map<number, number>()

  constructor(seq: number) {
    this.#reach = seq
  }

  /** It wrote these places. False when somebody else wrote some before them. */
  wrote(last: number, places: number): boolean {
    if (last - places > this.#reach) this.#ahead.set(last - places, last)
    else this.#reach = Math.max(this.#reach, last)
    for (let next = this.#ahead.get(this.#reach); next !== undefined; next = this.#ahead.get(this.#reach)) {
      this.#ahead.delete(this.#reach)
      this.#reach = next
    }
    if (this.#ahead.size <= MOST_UNDER_WAY) return true
    this.reached(Math.max(...this.#ahead.values()))
    return false
  }

  /** Whatever is before it is known of. */
  reached(seq: number): void {
    this.#reach = Math.max(this.#reach, seq)
    for (const [first, last] of this.#ahead) if (last <= this.#reach) this.#ahead.delete(first)
  }
}
