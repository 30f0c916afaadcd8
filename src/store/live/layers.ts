import { TwoKeys } from './two-keys.ts'

interface Layer<V> {
  readonly values: TwoKeys<V>
  /** Nothing later than this seq is in it. */
  readonly until: number
}

/**
 * A map by tenant and id that forgets in slices: what was set before a certain time can be dropped together, when
 * it is kept elsewhere by then.
 */
export class Layers<V> {
  #top = new TwoKeys<V>()
  #below: Layer<V>[] = []

  /** @param tail what the id ends with, where that is at hand (id-map.ts) */
  get(tenant_id: string, id: string, tail = id): V | undefined {
    const value = this.#top.get(tenant_id, id, tail)
    if (value !== undefined || this.#below.length === 0) return value
    for (let i = this.#below.length - 1; i >= 0; i--) {
      const older = this.#below[i]?.values.get(tenant_id, id, tail)
      if (older !== undefined) return older
    }
    return undefined
  }

  set(tenant_id: string, id: string, value: V, tail = id): void {
    this.#top.set(tenant_id, id, value, tail)
  }

  /** Of what nobody has set yet, in no slice. */
  addNew(tenant_id: string, id: string, value: V, tail = id): void {
    this.#top.addNew(tenant_id, id, value, tail)
  }

  delete(tenant_id: string, id: string): void {
    this.#top.delete(tenant_id, id)
    for (const { values } of this.#below) values.delete(tenant_id, id)
  }

  /** Everything set so far is not later than this seq. */
  seal(until: number): void {
    this.#below.push({ values: this.#top, until })
    this.#top = new TwoKeys()
  }

  /** Forgets the slices that end by this seq. */
  drop(seq: number): void {
    this.#below = this.#below.filter(({ until }) => until > seq)
  }

  /** What is newest, of each. */
  *entries(): Generator<readonly [tenant_id: string, id: string, value: V]> {
    const seen = new TwoKeys<true>()
    for (const layer of [this.#top, ...this.#below.toReversed().map(({ values }) => values)]) {
      for (const [tenant_id, id, value] of layer.entries()) {
        if (seen.get(tenant_id, id)) continue
        seen.set(tenant_id, id, true)
        yield [tenant_id, id, value]
      }
    }
  }
}
