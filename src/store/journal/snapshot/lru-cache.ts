interface Kept<V> {
  readonly value: V
  readonly weight: number
}

/**
 * Keeps what was loaded last, up to a total weight. Whoever asks for something that is on its way waits for it
 * instead of fetching it again.
 */
export class LruCache<V> {
  readonly #largest: number
  readonly #weigh: (value: V) => number
  /** The one used longest ago comes first. */
  readonly #kept = new Map<number, Kept<V>>()
  readonly #coming = new Map<number, Promise<V>>()
  #weight = 0

  constructor(largest: number, weigh: (value: V) => number) {
    this.#largest = largest
    this.#weigh = weigh
  }

  /** Only if it is here. */
  peek(key: number): V | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept.value
  }

  get(key: number, load: () => Promise<V>): V | Promise<V> {
    return this.peek(key) ?? this.#coming.get(key) ?? this.#load(key, load)
  }

  clear(): void {
    this.#kept.clear()
    this.#weight = 0
  }

  async #load(key: number, load: () => Promise<V>): Promise<V> {
    const coming = load()
    this.#coming.set(key, coming)
    try {
      const value = await coming
      this.#keep(key, value)
      return value
    } finally {
      this.#coming.delete(key)
    }
  }

  #keep(key: number, value: V): void {
    const weight = this.#weigh(value)
    if (weight > this.#largest) return
    this.#kept.set(key, { value, weight })
    this.#weight += weight
    for (const [oldest, kept] of this.#kept) {
      if (this.#weight <= this.#largest) return
      this.#kept.delete(oldest)
      this.#weight -= kept.weight
    }
  }
}
