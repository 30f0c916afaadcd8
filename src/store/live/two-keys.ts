import { IdMap } from '../../core/id-map.ts'

const NOTHING: readonly never[] = Object.freeze([])

/**
 * A map by tenant and id. Two lookups are cheaper than joining two strings for every one; and what is looked up is
 * mostly of the tenant that was looked up before.
 */
export class TwoKeys<V> {
  /** Made when there is something to put in: many of these stay empty. */
  #byTenant: Map<string, IdMap<V>> | null = null
  #lastTenant: string | null = null
  #last: IdMap<V> | undefined

  /** @param tail what the id ends with, where that is at hand (id-map.ts) */
  get(tenant_id: string, id: string, tail = id): V | undefined {
    return this.#of(tenant_id)?.get(id, tail)
  }

  set(tenant_id: string, id: string, value: V, tail = id): void {
    this.#made(tenant_id).set(id, value, tail)
  }

  /** False when there is one already. */
  add(tenant_id: string, id: string, value: V, tail = id): boolean {
    return this.#made(tenant_id).add(id, value, tail)
  }

  /** The same of what is known not to be there, without looking for it. */
  addNew(tenant_id: string, id: string, value: V, tail = id): void {
    this.#made(tenant_id).addNew(id, value, tail)
  }

  delete(tenant_id: string, id: string): void {
    this.#of(tenant_id)?.delete(id)
  }

  *entries(): Generator<readonly [tenant_id: string, id: string, value: V]> {
    for (const [tenant_id, inner] of this.#byTenant ?? NOTHING) {
      for (const [id, value] of inner.entries()) yield [tenant_id, id, value]
    }
  }

  /** The same as going through `values`, for where there are many and often. */
  forEach(callback: (value: V) => void): void {
    if (this.#byTenant !== null) for (const inner of this.#byTenant.values()) inner.forEach(callback)
  }

  /** The same with whose it is. */
  forEachEntry(callback: (value: V, tenant_id: string, id: string) => void): void {
    for (const [tenant_id, inner] of this.#byTenant ?? NOTHING) {
      inner.forEach((value, id) => {
        callback(value, tenant_id, id)
      })
    }
  }

  /** Of one tenant, or of all. */
  *values(tenant_id?: string): Generator<V> {
    if (tenant_id !== undefined) {
      yield* this.#byTenant?.get(tenant_id)?.values() ?? NOTHING
    } else if (this.#byTenant !== null) {
      for (const inner of this.#byTenant.values()) yield* inner.values()
    }
  }

  #made(tenant_id: string): IdMap<V> {
    const known = this.#of(tenant_id)
    if (known !== undefined) return known
    const inner = new IdMap<V>()
    this.#byTenant ??= new Map()
    this.#byTenant.set(tenant_id, inner)
    this.#last = inner
    return inner
  }

  #of(tenant_id: string): IdMap<V> | undefined {
    if (tenant_id !== this.#lastTenant) {
      this.#lastTenant = tenant_id
      this.#last = this.#byTenant?.get(tenant_id)
    }
    return this.#last
  }
}
