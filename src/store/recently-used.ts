interface Kept<K, V> {
  readonly key: K
  value: V
  size: number
  older: Kept<K, V> | null
  newer: Kept<K, V> | null
}

/** Keeps what was used last, up to a total size: of one each, unless another is said. What alone is larger is not kept at all. */
export class RecentlyUsed<K, V> {
  readonly #most: number
  readonly #sizeOf: (value: V) => number
  readonly #kept = new Map<K, Kept<K, V>>()
  #oldest: Kept<K, V> | null = null
  #newest: Kept<K, V> | null = null
  #size = 0

  constructor(most: number, sizeOf: (value: V) => number = () => 1) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get(key: K): V | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    this.#use(kept)
    return kept.value
  }

  /** Which is not to use it. */
  has(key: K): boolean {
    return this.#kept.has(key)
  }

  set(key: K, value: V, size: number = this.#sizeOf(value)): void {
    const before = this.#kept.get(key)
    if (size > this.#most) {
      if (before !== undefined) this.#drop(before)
      return
    }
    if (before === undefined) this.#add({ key, value, size, older: null, newer: null })
    else {
      this.#size += size - before.size
      before.value = value
      before.size = size
      this.#use(before)
    }
    while (this.#size > this.#most) this.#drop(this.#oldest as Kept<K, V>)
  }

  delete(key: K): void {
    const kept = this.#kept.get(key)
    if (kept !== undefined) this.#drop(kept)
  }

  clear(): void {
    this.#kept.clear()
    this.#oldest = null
    this.#newest = null
    this.#size = 0
  }

  *entries(): Generator<readonly [K, V]> {
    for (const { key, value } of this.#kept.values()) yield [key, value]
  }

  keys(): IterableIterator<K> {
    return this.#kept.keys()
  }

  #add(kept: Kept<K, V>): void {
    this.#kept.set(kept.key, kept)
    this.#size += kept.size
    this.#append(kept)
  }

  #drop(kept: Kept<K, V>): void {
    this.#kept.delete(kept.key)
    this.#size -= kept.size
    this.#takeOut(kept)
  }

  #use(kept: Kept<K, V>): void {
    if (kept === this.#newest) return
    this.#takeOut(kept)
    this.#append(kept)
  }

  #append(kept: Kept<K, V>): void {
    kept.older = this.#newest
    kept.newer = null
    if (this.#newest === null) this.#oldest = kept
    else this.#newest.newer = kept
    this.#newest = kept
  }

  #takeOut({ older, newer }: Kept<K, V>): void {
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
  }
}
