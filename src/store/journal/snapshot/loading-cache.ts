import { RecentlyUsed } from '../../recently-used.ts'

/**
 * Keeps what was loaded last, up to a total size. Whoever asks for something that is on its way waits for it instead
 * of fetching it again.
 */
export class LoadingCache<V extends object> {
  readonly #kept: RecentlyUsed<number, V>
  readonly #coming = new Map<number, Promise<V>>()

  constructor(largest: number, sizeOf: (value: V) => number) {
    this.#kept = new RecentlyUsed(largest, sizeOf)
  }

  /** Only if it is here. */
  here(key: number): V | undefined {
    return this.#kept.get(key)
  }

  get(key: number, load: () => Promise<V>): V | Promise<V> {
    return this.#kept.get(key) ?? this.#coming.get(key) ?? this.#load(key, load)
  }

  clear(): void {
    this.#kept.clear()
  }

  async #load(key: number, load: () => Promise<V>): Promise<V> {
    const coming = load()
    this.#coming.set(key, coming)
    try {
      const value = await coming
      this.#kept.set(key, value)
      return value
    } finally {
      this.#coming.delete(key)
    }
  }
}
