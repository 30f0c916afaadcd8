import type { CountEntry } from '../live/state-counts.ts'
import type { SlotWrite, WriteSet } from '../tables/tables.ts'

/** More than these are forgotten: a tenant has a few dozen. */
const MOST = 10_000

/** Counts and limits that are known to have a row, which is never removed: they need not be made, only added to. */
export class Counted {
  readonly #names = new Set<string>()

  hasCounts(counts: readonly CountEntry[]): boolean {
    return counts.every((count) => this.#names.has(countName(count)))
  }

  hasLimits(slots: readonly SlotWrite[]): boolean {
    return slots.every((slot) => this.#names.has(slotName(slot)))
  }

  /** They were written. */
  add({ counts, slots }: WriteSet): void {
    if (this.#names.size + counts.length + slots.length > MOST) this.#names.clear()
    for (const count of counts) this.#names.add(countName(count))
    for (const slot of slots) this.#names.add(slotName(slot))
  }

  /** A write failed, and this may be why. */
  forget(): void {
    this.#names.clear()
  }
}

function countName({ tenant_id, kind, state }: CountEntry): string {
  return `${kind} ${state} ${tenant_id}`
}

function slotName({ tenant_id, key }: SlotWrite): string {
  return `${JSON.stringify(key)} ${tenant_id}`
}
