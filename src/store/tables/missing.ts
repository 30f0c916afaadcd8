import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { ClaimKey, SlotKey } from '../../core/decision.ts'
import type { RefusalKey, Wanted } from './tables.ts'

/** What decisions still need to know, collected for one question. */
export class Missing implements Wanted {
  readonly jobs: RecordKey[] = []
  readonly records: RecordKey[] = []
  readonly claims: ClaimKey[] = []
  readonly slots: SlotKey[] = []
  readonly refusals: RefusalKey[] = []
  readonly rows: { readonly tenant_id: string; readonly id: string }[] = []
  readonly #asked = new Set<string>()

  get isEmpty(): boolean {
    return this.#asked.size === 0
  }

  add(other: Missing): void {
    this.addKeys(other.jobs)
    this.addKeys(other.records)
    this.addClaims(other.claims)
    this.addSlots(other.slots)
    for (const refusal of other.refusals) this.addRefusal(refusal)
    for (const { tenant_id, id } of other.rows) this.addRow(tenant_id, id)
  }

  addKeys(keys: Iterable<RecordKey>): void {
    for (const key of keys) {
      if (this.#isNew(nameOfKey(key))) (key.kind === 'job' ? this.jobs : this.records).push(key)
    }
  }

  addClaims(claims: Iterable<ClaimKey>): void {
    for (const claim of claims) {
      if (this.#isNew(`claim\n${claim.tenant_id}\n${claim.key}`)) this.claims.push(claim)
    }
  }

  addSlots(slots: Iterable<SlotKey>): void {
    for (const { tenant_id, key } of slots) {
      if (this.#isNew(`slot\n${tenant_id}\n${key}`)) this.slots.push({ tenant_id, key })
    }
  }

  addRefusal(refusal: RefusalKey): void {
    if (this.#isNew(`refusal\n${refusalName(refusal)}`)) this.refusals.push(refusal)
  }

  addRow(tenant_id: string, id: string): void {
    if (this.#isNew(`row\n${tenant_id}\n${id}`)) this.rows.push({ tenant_id, id })
  }

  #isNew(name: string): boolean {
    if (this.#asked.has(name)) return false
    this.#asked.add(name)
    return true
  }
}

export function refusalName({ tenant_id, kind, id }: RefusalKey): string {
  return `${tenant_id}\n${kind}\n${id}`
}

export function claimName({ tenant_id, key }: ClaimKey): string {
  return `${tenant_id}\n${key}`
}
