import { nameOf, ReferenceLedger } from '../../src/testing/conformance/history/reference-ledger.ts'
import type { Written } from './witness.ts'

/** Who holds a place under each limit, and until when. */
export type SlotOwners = ReadonlyMap<string, ReadonlyMap<string, number>>

/** What a ledger holds in which exactly these commits were written. */
export class ExpectedLedger {
  readonly written: readonly Written[]
  readonly model = new ReferenceLedger()
  readonly claims = new Map<string, string>()
  readonly slots = new Map<string, Map<string, number>>()

  constructor(written: readonly Written[]) {
    this.written = written
    for (const decision of written) {
      this.model.write(decision)
      if (decision.kind === 'change') this.#devices(decision.change)
    }
  }

  #devices({ claims, slots }: Extract<Written, { kind: 'change' }>['change']): void {
    for (const { tenant_id, key, owner } of claims) this.claims.set(JSON.stringify([tenant_id, key]), owner)
    for (const slot of slots) {
      const name = JSON.stringify([slot.tenant_id, slot.key])
      const owners = this.slots.get(name) ?? new Map<string, number>()
      if (slot.verb === 'take') owners.set(slot.owner, slot.until ?? Number.POSITIVE_INFINITY)
      else owners.delete(slot.owner)
      this.slots.set(name, owners)
    }
  }

  has(kind: string, tenant_id: string, id: string): boolean {
    return this.model.records.has(nameOf(kind, tenant_id, id))
  }
}
