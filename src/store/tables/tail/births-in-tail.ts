import type { Birth } from '../../../core/job/birth.ts'
import { TwoKeys } from '../../live/two-keys.ts'

/** So many are kept as they are; of others there are only the texts in the tail. */
const MOST_BIRTHS = 200_000

interface Some {
  /** Their last place in the log. */
  readonly seq: number
  readonly births: readonly Birth[]
}

/** Jobs in the tail that are as they were born. Mostly nobody reads one before it is put where it is found, and they need no names. */
export class BirthsInTail {
  #all: Some[] = []
  #count = 0
  /** How many of the lists can be found by the names of their jobs, and those that can, with the places of their lists. */
  #listed = 0
  #named = new TwoKeys<{ readonly birth: Birth; readonly seq: number }>()
  #folded = 0
  /** Up to there they were too many. */
  #dropped = 0

  add(seq: number, births: readonly Birth[]): void {
    this.#all.push({ seq, births })
    this.#count += births.length
    if (this.#count <= MOST_BIRTHS) return
    // Half of them at once: what can be found by name is made anew.
    while (this.#count > MOST_BIRTHS / 2 && this.#all.length > 0) {
      const { seq: last, births: some } = this.#all.shift() as Some
      this.#dropped = Math.max(this.#dropped, last)
      this.#count -= some.length
    }
    this.#forgetNames()
  }

  /** There are some that are not kept here. */
  get hides(): boolean {
    return this.#dropped > this.#folded
  }

  get(tenant_id: string, id: string): Birth | undefined {
    for (; this.#listed < this.#all.length; this.#listed++) {
      const { seq, births } = this.#all[this.#listed] as Some
      for (const birth of births) this.#named.set(birth.tenant_id, birth.job_id, { birth, seq })
    }
    const found = this.#named.get(tenant_id, id)
    return found === undefined || found.seq <= this.#folded ? undefined : found.birth
  }

  /** Up to there everything is where it is found. */
  folded(seq: number): void {
    this.#folded = seq
    if (this.#all.every((some) => some.seq <= seq)) {
      this.#all = []
      this.#count = 0
      this.#forgetNames()
    }
  }

  #forgetNames(): void {
    this.#listed = 0
    this.#named = new TwoKeys()
  }
}
