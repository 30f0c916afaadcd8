import type { JournalOptions } from '../../../src/store/journal/journal-options.ts'
import type { Life } from '../life.ts'

/** What a process does with a ledger, the same way every time. */
export interface ScriptedHistory {
  readonly name: string
  readonly journal: JournalOptions
  /** On a disk that takes its time, so that callers and snapshots get into each other's way. */
  readonly isSlow?: boolean
  /** Throws `Ended` when the power goes. */
  play(life: Life): Promise<void>
}
