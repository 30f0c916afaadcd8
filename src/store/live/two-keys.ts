/**
 * A map by tenant and id. Two lookups are cheaper than joining two strings for every one; and what is looked up is
 * mostly of the tenant that was looked up before.
 */
export class TwoKeys<V> {
  readonly #byTenant = new Map<string, Map<string, V>>()
  #lastTenant: string | null = null
  #last: Map<string, V> | undefined
  /** What was looked for last and is not there: whoever is about to add it has looked, more than once. */
  #absent: string | null = null
  #absentFrom: Map<string, V> | undefined

  get(tenant_id: string, id: string): V | undefined {
    const inner = this.#of(tenant_id)
    if (inner === undefined || (id === this.#absent && inner === this.#absentFrom)) return undefined
    const value = inner.get(id)
    if (value === undefined) {
      this.#absent = id
      this.#absentFrom = inner
    }
    return value
  }

  set(tenant_id: string, id: string, value: V): void {
    let inner = this.#of(tenant_id)
    if (inner === undefined) {
      inner = new Map()
      this.#byTenant.set(tenant_id, inner)
      this.#last = inner
    }
    inner.set(id, value)
    if (id === this.#absent) this.#absent = null
  }

  delete(tenant_id: string, id: string): void {
    this.#of(tenant_id)?.delete(id)
  }

  *entries(): Generator<readonly [tenant_id: string, id: string, value: V]> {
    for (const [tenant_id, inner] of this.#byTenant) {
      for (const [id, value] of inner) yield [tenant_id, id, value]
    }
  }

  /** The same as going through `values`, for where there are many and often. */
  forEach(callback: (value: V) => void): void {
    for (const inner of this.#byTenant.values()) inner.forEach(callback)
  }

  /** The same with whose it is. */
  forEachEntry(callback: (value: V, tenant_id: string, id: string) => void): void {
    for (const [tenant_id, inner] of this.#byTenant) {
      inner.forEach((value, id) => {
        callback(value, tenant_id, id)
      })
    }
  }

  /** Of one tenant, or of all. */
  *values(tenant_id?: string): Generator<V> {
    if (tenant_id !== undefined) {
      yield* this.#byTenant.get(tenant_id)?.values() ?? []
    } else {
      for (const inner of this.#byTenant.values()) yield* inner.values()
    }
  }

  #of(tenant_id: string): Map<string, V> | undefined {
    if (tenant_id !== this.#lastTenant) {
      this.#lastTenant = tenant_id
      this.#last = this.#byTenant.get(tenant_id)
    }
    return this.#last
  }
}
