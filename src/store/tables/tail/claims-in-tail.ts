import type { ClaimKey } from '../../../core/decision.ts'
import type { Birth } from '../../../core/job/birth.ts'
import { TwoKeys } from '../../live/two-keys.ts'
import { Conflict, type WriteSet } from '../tables.ts'

/** Those who have claims by a write. */
type Claimed = Pick<WriteSet, 'claims' | 'runs'>

/** Claims of a tenant, by their keys: what else there is of those who have them need not be kept. */
export interface Keys {
  readonly tenant_id: string
  readonly keys: readonly string[]
}

/** Who owns a claim by what is in the tail, or on its way there. */
export class ClaimsInTail {
  readonly #owners = new TwoKeys<string>()

  ownerOf({ tenant_id, key }: ClaimKey): string | undefined {
    return this.#owners.get(tenant_id, key)
  }

  /** All of them, or none: throws `Conflict` when somebody owns one. */
  addNew(claimed: Claimed): void {
    let count = 0
    const isNew = everyClaim(claimed, (tenant_id, key, owner, tail) => {
      const isAdded = this.#owners.add(tenant_id, key, owner, tail)
      if (isAdded) count++
      return isAdded
    })
    if (isNew) return
    everyClaim(claimed, (tenant_id, key) => {
      if (count-- === 0) return false
      this.#owners.delete(tenant_id, key)
      return true
    })
    throw new Conflict('somebody owns a claim')
  }

  add(claimed: Claimed): void {
    everyClaim(claimed, (tenant_id, key, owner, tail) => {
      this.#owners.set(tenant_id, key, owner, tail)
      return true
    })
  }

  drop(all: readonly Keys[]): void {
    for (const { tenant_id, keys } of all) for (const key of keys) this.#owners.delete(tenant_id, key)
  }
}

export function keysOf({ claims, runs }: Claimed): readonly Keys[] {
  const ofBirths = runs.map(({ births }) => ({
    tenant_id: (births[0] as Birth).tenant_id,
    keys: births.map(({ claim }) => claim),
  }))
  return [...ofBirths, ...claims.map(({ tenant_id, key }) => ({ tenant_id, keys: [key] }))]
}

/** Whether it is among them. */
export function claims(claimed: Claimed, { tenant_id, key }: ClaimKey): boolean {
  return !everyClaim(claimed, (tenant, one) => one !== key || tenant !== tenant_id)
}

/** Until one is answered with false. Answers whether none was. */
function everyClaim(
  { claims, runs }: Claimed,
  visit: (tenant_id: string, key: string, owner: string, tail?: string) => boolean,
): boolean {
  for (const { tenant_id, key, owner } of claims) if (!visit(tenant_id, key, owner)) return false
  for (const { births } of runs) {
    for (const { tenant_id, claim, job_id, claimTail } of births)
      if (!visit(tenant_id, claim, job_id, claimTail)) return false
  }
  return true
}
