import type { Birth } from '../../../core/job/birth.ts'
import { TwoKeys } from '../../live/two-keys.ts'

/** So many are kept as they are; of others there are only the texts in the tail. */
const MOST_BIRTHS = 200_000

/** Jobs in the tail that are as they were born. Mostly nobody reads one before it is put where it is found, and they need no names. */
export class BirthsInTail {
  /** In the order in which they were heard of, with the last place in the log of the write that made each. */
  #births: Birth[] = []
  #seqs: number[] = []
  #last = 0
  /** How many of them can be found by their names, and those that can, by which of them they are. */
  #listed = 0
  #named = new TwoKeys<number>()
  #folded = 0
  /** Up to there they were too many. */
  #dropped = 0

  add(seq: number, births: readonly Birth[]): void {
    for (const birth of births) {
      this.#births.push(birth)
      this.#seqs.push(seq)
    }
    this.#last = Math.max(this.#last, seq)
    if (this.#births.length > MOST_BIRTHS) this.#dropHalf()
  }

  /** There are some that are not kept here. */
  get hides(): boolean {
    return this.#dropped > this.#folded
  }

  get(tenant_id: string, id: string): Birth | undefined {
    for (; this.#listed < this.#births.length; this.#listed++) {
      const birth = this.#births[this.#listed] as Birth
      this.#named.set(birth.tenant_id, birth.job_id, this.#listed)
    }
    const nth = this.#named.get(tenant_id, id)
    return nth === undefined || (this.#seqs[nth] as number) <= this.#folded ? undefined : this.#births[nth]
  }

  /** Up to there everything is where it is found. */
  folded(seq: number): void {
    this.#folded = seq
    if (this.#last <= seq && this.#births.length > 0) this.#keepFrom(this.#births.length)
  }

  /** At once: what can be found by name is made anew. */
  #dropHalf(): void {
    const half = this.#births.length >> 1
    for (let nth = 0; nth < half; nth++) this.#dropped = Math.max(this.#dropped, this.#seqs[nth] as number)
    this.#keepFrom(half)
  }

  #keepFrom(nth: number): void {
    this.#births = this.#births.slice(nth)
    this.#seqs = this.#seqs.slice(nth)
    this.#listed = 0
    this.#named = new TwoKeys()
  }
}
