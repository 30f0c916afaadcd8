import { isJobPart, type LedgerRecord } from '../../core/aggregate.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { CellBook } from './cell-book.ts'
import type { SlotOwners } from './slot-book.ts'

/** Up to so many are looked through one by one. */
const FEW = 8

/** Jobs hold the places that they take for themselves: those among what a change writes. */
export class OwnersIn implements SlotOwners {
  readonly #cells: CellBook
  readonly #puts: readonly LedgerRecord[]
  #jobs: TwoKeys<true> | null = null

  constructor(cells: CellBook, puts: readonly LedgerRecord[]) {
    this.#cells = cells
    this.#puts = puts
  }

  holdsOf(tenant_id: string, owner: string): readonly string[] | null {
    if (!this.#isWritten(tenant_id, owner)) return null
    return this.#cells.find('job', tenant_id, owner)?.holds ?? []
  }

  #isWritten(tenant_id: string, job_id: string): boolean {
    const puts = this.#puts
    if (puts.length > FEW) return this.#all().get(tenant_id, job_id) === true
    for (const put of puts) {
      if (isJobPart(put) && put.job_id === job_id && put.tenant_id === tenant_id) return true
    }
    return false
  }

  /** A batch writes a thousand jobs, and each of them is asked for. */
  #all(): TwoKeys<true> {
    if (this.#jobs === null) {
      this.#jobs = new TwoKeys()
      for (const put of this.#puts) if (isJobPart(put)) this.#jobs.set(put.tenant_id, put.job_id, true)
    }
    return this.#jobs
  }
}
