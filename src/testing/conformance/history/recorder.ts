import type { Decision, Given } from '../../../core/decision.ts'
import type { Facts } from './reference-ledger.ts'

/**
 * Notes what a store told a decision. A store may call it several times, so only the last call counts: that is
 * the one it wrote.
 */
export class Recorder {
  readonly #facts = new Map<string, Facts>()

  /** In the order in which the last calls were made. */
  get facts(): ReadonlyMap<string, Facts> {
    return this.#facts
  }

  record<A>(name: string, given: Given, decide: (given: Given) => Decision<A>): Decision<A> {
    const ids: string[] = []
    this.#facts.delete(name)
    this.#facts.set(name, { now: given.now, ids })
    return decide({
      now: given.now,
      ids: {
        next: () => {
          const id = given.ids.next()
          ids.push(id)
          return id
        },
      },
      get: (kind, tenant_id, id) => given.get(kind, tenant_id, id),
      ownerOf: (claim) => given.ownerOf(claim),
      isFull: (slot) => given.isFull(slot),
    })
  }
}
