/** Values that were used last, up to so many bytes of them. */
export class RecentlyUsed<V> {
  readonly #mostBytes: number
  /** A map keeps the order in which things were put in: the first was not used for the longest time. */
  readonly #values = new Map<string, { readonly value: V; readonly bytes: number }>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get(key: string): V | undefined {
    const found = this.#values.get(key)
    if (found === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, found)
    return found.value
  }

  set(key: string, value: V, bytes: number): void {
    this.#bytes += bytes - (this.#values.get(key)?.bytes ?? 0)
    this.#values.delete(key)
    this.#values.set(key, { value, bytes })
    for (const [oldest, { bytes: freed }] of this.#values) {
      if (this.#bytes <= this.#mostBytes) return
      this.#values.delete(oldest)
      this.#bytes -= freed
    }
  }
}
