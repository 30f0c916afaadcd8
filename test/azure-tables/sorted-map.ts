/** Values by keys, in the order of the keys' code units. */
export class SortedMap<V> {
  readonly #values = new Map<string, V>()
  readonly #keys: string[] = []

  get size(): number {
    return this.#keys.length
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#placeOf(key), 0, key)
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#placeOf(key), 1)
  }

  *entries(from: string): Iterable<readonly [key: string, value: V]> {
    for (let place = this.#placeOf(from); place < this.#keys.length; place++) {
      const key = this.#keys[place] as string
      yield [key, this.#values.get(key) as V]
    }
  }

  /** Of the first key that is not before it. */
  #placeOf(key: string): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
