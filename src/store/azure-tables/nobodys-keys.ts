import type { ClaimKey } from '../../core/decision.ts'
import { claimName } from '../tables/missing.ts'
import type { Loaded, Wanted } from '../tables/tables.ts'

interface Seen {
  readonly claim: ClaimKey
  readonly look: number
}

/**
 * Keys that were nobody's when a decision looked them up. What was read later, or at the same time, may have been made with one of
 * them since: whether that is so has to be known before it counts against whoever asks with the same key.
 */
export class NobodysKeys {
  readonly #keys = new Map<string, Seen>()
  #looks = 0
  /** The last look at anything else that a key may come with. */
  #lastElse = 0

  saw({ jobs, records, slots, claims }: Wanted, loaded: Loaded): void {
    const look = ++this.#looks
    if (jobs.length + records.length + slots.length > 0) this.#lastElse = look
    for (const claim of claims) this.#keys.set(claimName(claim), { claim, look })
    for (const claim of loaded.claims) this.#keys.delete(claimName(claim))
  }

  /** Those of which it is not known whether they are still nobody's. */
  get doubtful(): readonly ClaimKey[] {
    return Array.from(this.#keys.values()).flatMap(({ claim, look }) =>
      look <= this.#lastElse ? [claim] : [],
    )
  }
}
