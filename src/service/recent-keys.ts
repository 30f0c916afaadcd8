/** Remembers the keys that came last, and no more of them than it may. */
export class RecentKeys {
  readonly #most: number
  readonly #keys = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  add(key: string): void {
    this.#keys.add(key)
    if (this.#keys.size <= this.#most) return
    const [oldest] = this.#keys
    if (oldest !== undefined) this.#keys.delete(oldest)
  }
}
