import type { Change, ClaimKey, SlotChange, SlotKey } from '../../core/decision.ts'
import { TwoKeys } from './two-keys.ts'

/** Claims and slots: who owns a key, who holds one of a bounded number. */
export class Devices {
  readonly #claims = new TwoKeys<string>()
  readonly #slots = new TwoKeys<Set<string>>()

  ownerOf({ tenant_id, key }: ClaimKey): string | undefined {
    return this.#claims.get(tenant_id, key)
  }

  used(tenant_id: string, key: string): number {
    return this.#slots.get(tenant_id, key)?.size ?? 0
  }

  /** A claim in the change that somebody else owns. */
  takenClaim(change: Change): ClaimKey | undefined {
    return change.claims.find((claim) => {
      const owner = this.ownerOf(claim)
      return owner !== undefined && owner !== claim.owner
    })
  }

  /** A slot that the change asks for and cannot have; its own takes count too. */
  fullSlot(change: Change): SlotKey | undefined {
    return change.slots.find((slot, i) => {
      if (slot.verb === 'release' || this.#holds(slot)) return false
      const before = change.slots.slice(0, i).filter((other) => isTakeOf(other, slot) && !this.#holds(other))
      return this.used(slot.tenant_id, slot.key) + before.length >= slot.max
    })
  }

  apply(change: Change): void {
    for (const claim of change.claims) this.#claims.set(claim.tenant_id, claim.key, claim.owner)
    for (const slot of change.slots) this.#change(slot)
  }

  #holds(slot: SlotChange): boolean {
    return this.#slots.get(slot.tenant_id, slot.key)?.has(slot.owner) === true
  }

  #change(slot: SlotChange): void {
    const holders = this.#slots.get(slot.tenant_id, slot.key)
    if (slot.verb === 'release') {
      holders?.delete(slot.owner)
      if (holders?.size === 0) this.#slots.delete(slot.tenant_id, slot.key)
    } else if (holders === undefined) {
      this.#slots.set(slot.tenant_id, slot.key, new Set([slot.owner]))
    } else {
      holders.add(slot.owner)
    }
  }
}

function isTakeOf(change: SlotChange, slot: SlotKey): boolean {
  return change.verb === 'take' && change.key === slot.key && change.tenant_id === slot.tenant_id
}
