import type { CountEntry } from '../live/state-counts.ts'

/** More than these are forgotten: a tenant has a few dozen. */
const MOST = 10_000

/** Counts that are known to have a row, which is never removed: they need not be made, only added to. */
export class Counted {
  readonly #names = new Set<string>()

  hasAll(counts: readonly CountEntry[]): boolean {
    return counts.every((count) => this.#names.has(nameOf(count)))
  }

  /** They were written. */
  add(counts: readonly CountEntry[]): void {
    if (this.#names.size + counts.length > MOST) this.#names.clear()
    for (const count of counts) this.#names.add(nameOf(count))
  }

  /** A write failed, and this may be why. */
  forget(): void {
    this.#names.clear()
  }
}

function nameOf({ tenant_id, kind, state }: CountEntry): string {
  return `${kind} ${state} ${tenant_id}`
}
