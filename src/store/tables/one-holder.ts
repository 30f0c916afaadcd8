import type { SlotOwners } from './slot-book.ts'

/** A job that holds places for itself. */
export class OneHolder implements SlotOwners {
  readonly #job_id: string
  readonly #holds: readonly string[]

  constructor(job_id: string, holds: readonly string[]) {
    this.#job_id = job_id
    this.#holds = holds
  }

  holdsOf(_tenant_id: string, owner: string): readonly string[] | null {
    return owner === this.#job_id ? this.#holds : null
  }
}
