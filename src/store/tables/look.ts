import type { ClaimKey, SlotKey } from '../../core/decision.ts'
import type { Bearing } from './bearing.ts'
import type { Cell } from './cell.ts'
import type { SlotTrial } from './slot-book.ts'

/** What one decision looked at. */
export class Look {
  readonly reads: Cell[] = []
  /** Claims that were asked about and not looked up: nobody has them, as far as is known. */
  readonly assumed: ClaimKey[] = []
  trial: SlotTrial | null = null
  sawFull = false
  /** What is to be born, where there is room for all of it. */
  bearing: Bearing | null = null
  /** Limits that were not looked up, though another one was full. */
  readonly unread: SlotKey[] = []
}
