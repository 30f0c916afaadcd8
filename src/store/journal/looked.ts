import {
  type AggregateKind,
  type AggregateOf,
  type AloneRecord,
  aggregateKey,
  type JobAggregate,
  type LedgerRecord,
  nameOfKey,
  type RecordKey,
} from '../../core/aggregate.ts'
import type { ClaimKey } from '../../core/decision.ts'
import type { Image } from './image.ts'
import type { Snapshot } from './snapshot/snapshot.ts'

/** Null when there is none; undefined when nobody has looked. */
export type Found<T> = T | null | undefined

type Aggregate = AggregateOf[AggregateKind]

export interface Wanted {
  readonly keys: readonly RecordKey[]
  readonly claims: readonly ClaimKey[]
  readonly refusals: readonly { readonly tenant_id: string; readonly name: string }[]
}

/** What was looked up in the snapshot for one decision. What is in memory is newer and goes before it. */
export class Looked {
  readonly #aggregates = new Map<string, Aggregate | null>()
  readonly #owners = new Map<string, string | null>()
  readonly #refusals = new Map<string, number>()
  #base: Snapshot | null | undefined

  /** Whether it was all looked up in the snapshot that counts now. */
  isCurrent(image: Image): boolean {
    return this.#base === undefined || this.#base === image.base
  }

  async lookUp(image: Image, { keys, claims, refusals }: Wanted): Promise<void> {
    this.#base ??= image.base
    for (const key of keys) this.#aggregates.set(nameOfKey(key), await image.load(key))
    for (const claim of claims) this.#owners.set(nameOfClaim(claim), await image.loadOwner(claim))
    for (const { tenant_id, name } of refusals) {
      this.#refusals.set(`${tenant_id}\n${name}`, await image.loadRefusals(tenant_id, name))
    }
  }

  aggregate(name: string): Found<Aggregate> {
    return this.#aggregates.get(name)
  }

  ownerOf(name: string): Found<string> {
    return this.#owners.get(name)
  }

  refusalsOf(tenant_id: string, name: string): number | undefined {
    return this.#refusals.get(`${tenant_id}\n${name}`)
  }

  /** The aggregate that a record belongs to. */
  aggregateOf(
    record: LedgerRecord,
  ): { readonly key: RecordKey; readonly aggregate: AloneRecord | JobAggregate } | null {
    const key = aggregateKey(record)
    const aggregate = this.#aggregates.get(nameOfKey(key))
    return aggregate == null ? null : { key, aggregate }
  }
}

export function nameOfClaim({ tenant_id, key }: ClaimKey): string {
  return `${tenant_id}\n${key}`
}
