import type { IdSource, SlotKey } from '../../core/decision.ts'
import type { RememberedCells } from './cell-book.ts'
import type { SlotRow } from './tables.ts'
import type { Since } from './tail/known.ts'

/** What was read or written earlier, and may be old: a write that rests on it says which version it was. */
export interface Remembered extends RememberedCells {
  slot(slot: SlotKey): SlotRow | undefined
}

export interface WorkspaceOptions {
  readonly now: number
  readonly ids: IdSource
  readonly since?: Since | null | undefined
  /** Null when nothing is to be taken for granted: somebody else was faster, and all of it is read again. */
  readonly remembered: Remembered | null
  /** A limit that nothing is known of has room for a job, until the write says otherwise. */
  readonly assumesRoom?: boolean | undefined
  /** Jobs that are alike are kept as what is their own, and told of as `births`. */
  readonly bears?: boolean | undefined
}
