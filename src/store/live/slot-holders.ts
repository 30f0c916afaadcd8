import { beginningWith, type SlotEntry, type SortedList } from './stored-work.ts'

/** Those of a list that hold a place under one limit. */
export interface StoredHolders {
  readonly slots: SortedList<SlotEntry>
  readonly tenant_id: string
  readonly key: string
  /** Where in the list they begin, and how many they are. */
  readonly from: number
  readonly entries: number
}

/** Who holds one of a bounded number of places: whoever was stored as holding one, and what changed since. */
export class SlotHolders {
  readonly #stored: StoredHolders | null
  readonly #changed = new Map<string, boolean>()
  #size: number

  constructor(stored: StoredHolders | null = null) {
    this.#stored = stored
    this.#size = stored?.entries ?? 0
  }

  get size(): number {
    return this.#size
  }

  has(owner: string): boolean {
    return this.#changed.get(owner) ?? this.#isStored(owner)
  }

  /** False when it was so already. */
  change(owner: string, holds: boolean): boolean {
    if (this.has(owner) === holds) return false
    if (this.#isStored(owner) === holds) this.#changed.delete(owner)
    else this.#changed.set(owner, holds)
    this.#size += holds ? 1 : -1
    return true
  }

  /** Sorted. */
  owners(): readonly string[] {
    const owners: string[] = []
    for (const [owner, holds] of this.#changed) if (holds) owners.push(owner)
    if (this.#stored !== null) {
      const { slots, from, entries } = this.#stored
      for (let index = from; index < from + entries; index++) {
        const [, , owner] = slots.at(index)
        if (!this.#changed.has(owner)) owners.push(owner)
      }
    }
    return owners.sort()
  }

  #isStored(owner: string): boolean {
    if (this.#stored === null) return false
    const { slots, tenant_id, key } = this.#stored
    for (const _ of beginningWith(slots, [tenant_id, key, owner])) return true
    return false
  }
}
