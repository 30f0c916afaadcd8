import { isJobPart, type LedgerRecord } from '../../core/aggregate.ts'
import type { CellBook } from './cell-book.ts'
import type { SlotOwners } from './slot-book.ts'

/** Jobs hold the places that they take for themselves: those among what a change writes. */
export class OwnersIn implements SlotOwners {
  readonly #cells: CellBook
  readonly #puts: readonly LedgerRecord[]

  constructor(cells: CellBook, puts: readonly LedgerRecord[]) {
    this.#cells = cells
    this.#puts = puts
  }

  holdsOf(tenant_id: string, owner: string): readonly string[] | null {
    for (const put of this.#puts) {
      if (!isJobPart(put) || put.job_id !== owner || put.tenant_id !== tenant_id) continue
      return this.#cells.find('job', tenant_id, owner)?.holds ?? []
    }
    return null
  }
}
