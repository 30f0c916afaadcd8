import type { Change, ClaimKey, SlotChange, SlotKey } from '../../core/decision.ts'
import { Layers } from './layers.ts'
import { SlotHolders } from './slot-holders.ts'
import { compareEntries, type SlotEntry, type StoredWork } from './stored-work.ts'
import { TwoKeys } from './two-keys.ts'

/** Takes back what a change did to the devices. */
export type Undo = () => void

/** Claims and slots: who owns a key, who holds one of a bounded number. */
export class Devices {
  readonly claims = new Layers<string>()
  readonly #slots = new TwoKeys<SlotHolders>()

  ownerOf({ tenant_id, key }: ClaimKey): string | undefined {
    return this.claims.get(tenant_id, key)
  }

  used(tenant_id: string, key: string): number {
    return this.#slots.get(tenant_id, key)?.size ?? 0
  }

  /** A claim in the change that somebody else owns. */
  takenClaim({ claims }: Change): ClaimKey | undefined {
    return claims.length === 0
      ? undefined
      : claims.find((claim) => {
          const owner = this.ownerOf(claim)
          return owner !== undefined && owner !== claim.owner
        })
  }

  /** A slot that the change asks for and cannot have, given what the change itself took and released before. */
  fullSlot({ slots }: Change): SlotKey | undefined {
    if (slots.length === 0) return undefined
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

  /** Who holds which slots, as was decided before. */
  store({ slots, limits }: Pick<StoredWork, 'slots' | 'limits'>): void {
    let from = 0
    for (const [tenant_id, key, entries] of limits) {
      this.#slots.set(tenant_id, key, new SlotHolders({ slots, tenant_id, key, from, entries }))
      from += entries
    }
  }

  /** Who holds which slots, sorted. */
  *holders(): Generator<SlotEntry> {
    const slots = [...this.#slots.entries()].sort(compareEntries)
    for (const [tenant_id, key, holders] of slots) {
      for (const owner of holders.owners()) yield [tenant_id, key, owner]
    }
  }

  /** Answers how to take it back; null when there is nothing to take back. */
  apply({ claims, slots }: Change): Undo | null {
    if (claims.length === 0 && slots.length === 0) return null
    const undos: Undo[] = []
    for (const { tenant_id, key, owner } of claims) {
      if (this.claims.get(tenant_id, key) !== undefined) continue
      this.claims.set(tenant_id, key, owner)
      undos.push(() => this.claims.delete(tenant_id, key))
    }
    for (const slot of slots) {
      if (this.#change(slot, slot.verb === 'take')) undos.push(() => this.#change(slot, slot.verb !== 'take'))
    }
    return () => {
      for (const undo of undos.reverse()) undo()
    }
  }

  /** False when it was so already. */
  #change({ tenant_id, key, owner }: SlotKey & { readonly owner: string }, takes: boolean): boolean {
    let holders = this.#slots.get(tenant_id, key)
    if (holders === undefined) {
      if (!takes) return false
      holders = new SlotHolders()
      this.#slots.set(tenant_id, key, holders)
    }
    const hasChanged = holders.change(owner, takes)
    if (holders.size === 0) this.#slots.delete(tenant_id, key)
    return hasChanged
  }
}

/** Who would hold a slot after the changes so far. Whoever holds one keeps it, also when there are fewer now. */
class SlotView {
  readonly #holders: SlotHolders | undefined
  readonly #changed = new Map<string, boolean>()
  #used: number

  constructor(holders: SlotHolders | undefined) {
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
