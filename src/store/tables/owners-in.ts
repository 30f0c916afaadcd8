import { isJobPart, type LedgerRecord } from '../../core/aggregate.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { CellBook } from './cell-book.ts'
import type { SlotOwners } from './slot-book.ts'

/** So many are looked through sooner than put into a map. */
const FEW = 16

/** Jobs hold the places that they take for themselves: those among what a change writes. */
export class OwnersIn implements SlotOwners {
  readonly #cells: CellBook
  readonly #puts: readonly LedgerRecord[]
  /** Only where there are many: each job of a batch is looked for among all of them. */
  #jobs: TwoKeys<true> | null = null

  constructor(cells: CellBook, puts: readonly LedgerRecord[]) {
    this.#cells = cells
    this.#puts = puts
  }

  holdsOf(tenant_id: string, owner: string): readonly string[] | null {
    return this.#has(tenant_id, owner) ? (this.#cells.find('job', tenant_id, owner)?.holds ?? []) : null
  }

  #has(tenant_id: string, owner: string): boolean {
    const puts = this.#puts
    if (puts.length > FEW) {
      this.#jobs ??= jobsOf(puts)
      return this.#jobs.get(tenant_id, owner) === true
    }
    for (const put of puts) {
      if (isJobPart(put) && put.job_id === owner && put.tenant_id === tenant_id) return true
    }
    return false
  }
}

function jobsOf(puts: readonly LedgerRecord[]): TwoKeys<true> {
  const jobs = new TwoKeys<true>()
  for (const put of puts) if (isJobPart(put)) jobs.set(put.tenant_id, put.job_id, true)
  return jobs
}
