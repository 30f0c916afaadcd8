/** The last bytes of whatever is added, up to so many: a ring, so that an endless stream takes no more than that. */
export class LastBytes {
  readonly #most: number
  #ring: Buffer | null = null
  #at = 0
  /** How many were added, kept or not. */
  total = 0

  constructor(most: number) {
    this.#most = most
  }

  get dropped(): number {
    return Math.max(0, this.total - this.#most)
  }

  add(bytes: Uint8Array): void {
    // Taken when there is something to keep: most runs print little.
    this.#ring ??= Buffer.allocUnsafeSlow(this.#most)
    this.total += bytes.length
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#most))
    const first = kept.subarray(0, this.#most - this.#at)
    this.#ring.set(first, this.#at)
    this.#ring.set(kept.subarray(first.length), 0)
    this.#at = (this.#at + kept.length) % this.#most
  }

  /** In order. */
  bytes(): Buffer {
    if (this.#ring === null) return Buffer.alloc(0)
    if (this.total < this.#most) return Buffer.from(this.#ring.subarray(0, this.total))
    return Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)])
  }
}
