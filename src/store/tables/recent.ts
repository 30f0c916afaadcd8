import { TwoKeys } from '../live/two-keys.ts'

/**
 * What was put here last, by tenant and id: so many at least, and twice as many at most. Those of before are dropped all at once,
 * which takes no note of who looks at what.
 */
export class Recent<V> {
  readonly #most: number
  #young = new TwoKeys<V>()
  #old = new TwoKeys<V>()
  #puts = 0

  constructor(most: number) {
    this.#most = most
  }

  get(tenant_id: string, id: string): V | undefined {
    return this.#young.get(tenant_id, id) ?? this.#old.get(tenant_id, id)
  }

  set(tenant_id: string, id: string, value: V): void {
    if (this.#puts >= this.#most) {
      this.#old = this.#young
      this.#young = new TwoKeys()
      this.#puts = 0
    }
    this.#puts++
    this.#young.set(tenant_id, id, value)
  }

  clear(): void {
    this.#young = new TwoKeys()
    this.#old = new TwoKeys()
    this.#puts = 0
  }

  delete(tenant_id: string, id: string): void {
    this.#young.delete(tenant_id, id)
    this.#old.delete(tenant_id, id)
  }
}
