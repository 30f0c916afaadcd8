import type { Claim, ClaimKey } from '../../core/decision.ts'
import { TwoKeys } from '../live/two-keys.ts'

/** Who owns which claims, as a group of decisions sees it, and what these take. */
export class ClaimBook {
  readonly taken: Claim[] = []
  /** Null when nobody does. */
  readonly #owners = new TwoKeys<string | null>()

  know({ tenant_id, key }: ClaimKey, owner: string | null): void {
    this.#owners.set(tenant_id, key, owner)
  }

  /** Undefined when it was not looked up. */
  ownerOf({ tenant_id, key }: ClaimKey): string | null | undefined {
    return this.#owners.get(tenant_id, key)
  }

  /** Somebody else owns it. */
  isOthers(claim: Claim): boolean {
    const owner = this.ownerOf(claim)
    return owner != null && owner !== claim.owner
  }

  take(claim: Claim): void {
    const { tenant_id, key, owner } = claim
    if (this.#owners.get(tenant_id, key) === owner) return
    this.#owners.set(tenant_id, key, owner)
    this.taken.push(claim)
  }
}
