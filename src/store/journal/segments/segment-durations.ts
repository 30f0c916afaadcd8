import type { AuditEntry } from '../../../core/audit.ts'
import { DurationRollup, type RollupFields } from '../../../core/durations.ts'

/** With more groups than this, adding them up ahead would cost more than it saves. */
const MOST_GROUPS = 10_000

/** Adds up the durations of a whole segment as its entries go by. */
export class SegmentDurations {
  #rollup: DurationRollup | null = new DurationRollup()

  add(entry: AuditEntry): void {
    if (this.#rollup === null) return
    this.#rollup.addEntry(entry)
    if (this.#rollup.size > MOST_GROUPS) this.#rollup = null
  }

  /** Null when there were too many groups. */
  toFields(): RollupFields | null {
    return this.#rollup?.toFields() ?? null
  }
}
