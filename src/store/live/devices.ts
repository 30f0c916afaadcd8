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
  fullSlot({ slots }: Change): SlotKey | undefined {
    const views = new TwoKeys<SlotView>()
    for (const slot of slots) {
      let view = views.get(slot.tenant_id, slot.key)
      if (view === undefined) {
        view = new SlotView(this.#slots.get(slot.tenant_id, slot.key))
        views.set(slot.tenant_id, slot.key, view)
      }
      if (!view.change(slot)) return slot
    }
    return undefined
  }

  apply(change: Change): void {
    for (const claim of change.claims) this.#claims.set(claim.tenant_id, claim.key, claim.owner)
    for (const slot of change.slots) this.#change(slot)
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

/** Who would hold a slot after the changes so far. Whoever holds one keeps it, also when there are fewer now. */
class SlotView {
  readonly #holders: ReadonlySet<string> | undefined
  readonly #changed = new Map<string, boolean>()
  #used: number

  constructor(holders: ReadonlySet<string> | undefined) {
    this.#holders = holders
    this.#used = holders?.size ?? 0
  }

  /** False when it asks for one and none is free. */
  change(slot: SlotChange): boolean {
    const takes = slot.verb === 'take'
    const holds = this.#changed.get(slot.owner) ?? this.#holders?.has(slot.owner) === true
    if (holds === takes) return true
    if (takes && this.#used >= slot.max) return false
    this.#changed.set(slot.owner, takes)
    this.#used += takes ? 1 : -1
    return true
  }
}
