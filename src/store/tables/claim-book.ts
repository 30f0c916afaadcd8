import type { AskedClaim, Claim, ClaimKey } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import { TwoKeys } from '../live/two-keys.ts'

/** Who owns which claims, as a group of decisions sees it, and what these take. */
export class ClaimBook {
  /** But for those that jobs are born with. */
  readonly taken: Claim[] = []
  /** Null when nobody does. */
  readonly #owners = new TwoKeys<string | null>()
  /** Jobs that are born with one, and how many of them are among the owners: hardly ever does anybody look for one. */
  readonly #births: Birth[] = []
  #found = 0

  know({ tenant_id, key }: ClaimKey, owner: string | null): void {
    this.#owners.set(tenant_id, key, owner)
  }

  /** Undefined when it was not looked up. */
  ownerOf({ tenant_id, key, tail }: AskedClaim): string | null | undefined {
    for (; this.#found < this.#births.length; this.#found++) {
      const { tenant_id, claim, claimTail, job_id } = this.#births[this.#found] as Birth
      this.#owners.set(tenant_id, claim, job_id, claimTail)
    }
    return this.#owners.get(tenant_id, key, tail)
  }

  /** Somebody else owns it. */
  isOthers(claim: Claim): boolean {
    const owner = this.ownerOf(claim)
    return owner != null && owner !== claim.owner
  }

  take(claim: Claim): void {
    const { tenant_id, key, owner } = claim
    if (this.ownerOf(claim) === owner) return
    this.#owners.set(tenant_id, key, owner)
    this.taken.push(claim)
  }

  /** The same of a job that is born with it: that is said of the job. */
  takenBy(birth: Birth): void {
    this.#births.push(birth)
  }
}
