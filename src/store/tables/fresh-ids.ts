import type { IdSource } from '../../core/decision.ts'

/** Ids, and which of them were made up for the decision that is being made: there is nothing of their names yet. */
export class FreshIds implements IdSource {
  readonly #ids: IdSource
  #made: string[] = []

  constructor(ids: IdSource) {
    this.#ids = ids
  }

  next(): string {
    const id = this.#ids.next()
    this.#made.push(id)
    return id
  }

  has(id: string): boolean {
    return this.#made.includes(id)
  }

  /** Another decision begins. */
  forget(): void {
    if (this.#made.length > 0) this.#made = []
  }
}
