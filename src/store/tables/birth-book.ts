import type { Birth } from '../../core/job/birth.ts'
import { TwoKeys } from '../live/two-keys.ts'

/** Jobs that a group of decisions makes. Mostly nobody asks for one of them before they are written, and they need no names here. */
export class BirthBook {
  readonly #births: Birth[] = []
  /** How many of them can be found by their names, and those that can. */
  #found = 0
  readonly #named = new TwoKeys<Birth>()
  #taken = 0

  add(births: readonly Birth[]): void {
    for (const birth of births) this.#births.push(birth)
  }

  /** Whoever asks for one has it from then on. */
  take(tenant_id: string, id: string): Birth | undefined {
    if (this.#births.length === 0) return undefined
    for (; this.#found < this.#births.length; this.#found++) {
      const birth = this.#births[this.#found] as Birth
      this.#named.set(birth.tenant_id, birth.job_id, birth)
    }
    const birth = this.#named.get(tenant_id, id)
    if (birth === undefined) return undefined
    this.#named.delete(tenant_id, id)
    this.#taken++
    return birth
  }

  /** Those that nobody took, in order. */
  left(): readonly Birth[] {
    if (this.#taken === 0) return this.#births
    const isLeft = ({ tenant_id, job_id }: Birth, nth: number) =>
      nth >= this.#found || this.#named.get(tenant_id, job_id) !== undefined
    return this.#births.filter(isLeft)
  }
}
