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

  /** A slot that the change asks for and cannot have, given what the change itself took and released before. */
  fullSlot(change: Change): SlotKey | undefined {
    return change.slots.find(
      (slot, i) => slot.verb === 'take' && this.#isFull(slot, change.slots.slice(0, i)),
    )
  }

  apply(change: Change): void {
    for (const claim of change.claims) this.#claims.set(claim.tenant_id, claim.key, claim.owner)
    for (const slot of change.slots) this.#change(slot)
  }

  /** After these earlier changes; whoever holds one keeps it, also when there are fewer than there were. */
  #isFull(slot: SlotChange & { readonly verb: 'take' }, earlier: readonly SlotChange[]): boolean {
    const holders = this.#slots.get(slot.tenant_id, slot.key)
    const changed = new Map<string, boolean>()
    const holds = (owner: string) => changed.get(owner) ?? holders?.has(owner) === true
    let used = holders?.size ?? 0
    for (const other of earlier) {
      const taken = other.verb === 'take'
      if (!isSameSlot(other, slot) || holds(other.owner) === taken) continue
      changed.set(other.owner, taken)
      used += taken ? 1 : -1
    }
    return !holds(slot.owner) && used >= slot.max
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

function isSameSlot(a: SlotKey, b: SlotKey): boolean {
  return a.key === b.key && a.tenant_id === b.tenant_id
}
