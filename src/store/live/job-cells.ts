import { JobCell } from './move.ts'
import { TwoKeys } from './two-keys.ts'

/** The jobs in memory, each in its cell. */
export class JobCells {
  readonly #cells = new TwoKeys<JobCell>()
  #atHand: JobCell | undefined

  get(tenant_id: string, id: string): JobCell | undefined {
    return this.#cells.get(tenant_id, id)
  }

  /** For a decision: what it looks at is mostly what it then changes, so the cell is kept at hand. */
  look(tenant_id: string, id: string): JobCell | undefined {
    this.#atHand = this.#cells.get(tenant_id, id)
    return this.#atHand
  }

  /** A new one when there is none. */
  of(tenant_id: string, id: string): JobCell {
    const atHand = this.#atHand
    if (atHand !== undefined && atHand.id === id && atHand.tenant_id === tenant_id) return atHand
    return this.#cells.get(tenant_id, id) ?? this.add(tenant_id, id)
  }

  /** Of a job that nobody has heard of yet. */
  add(tenant_id: string, id: string): JobCell {
    const cell = new JobCell(tenant_id, id)
    this.#cells.addNew(tenant_id, id, cell)
    return cell
  }

  delete(tenant_id: string, id: string): void {
    this.#atHand = undefined
    this.#cells.delete(tenant_id, id)
  }

  values(tenant_id?: string): Iterable<JobCell> {
    return this.#cells.values(tenant_id)
  }
}
