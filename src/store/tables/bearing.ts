import type { ClaimKey } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { JobForm } from '../../core/job/job-form.ts'
import type { StateCounts } from '../live/state-counts.ts'
import { FIRST_VERSION } from './born-row.ts'
import { countActive, type SlotBook, type SlotState } from './slot-book.ts'

/** Jobs that are alike and about to be there, without anybody making their records. */
export class Bearing {
  readonly births: readonly Birth[]
  readonly #form: JobForm
  readonly #slot: SlotState
  /** How many places may be taken when it is written, so that there is one for each. */
  readonly #most: number

  private constructor(births: readonly Birth[], slot: SlotState, most: number) {
    this.births = births
    this.#form = (births[0] as Birth).form
    this.#slot = slot
    this.#most = most
  }

  /** Null when it has to be looked at one by one: they are not all alike, or there may be no room for all of them. */
  static of(births: readonly Birth[], slots: SlotBook, now: number): Bearing | null {
    const { form } = births[0] as Birth
    const { slot } = form
    const state = slots.stateOf(slot)
    if (state === undefined || slot.verb !== 'take') return null
    const most = slot.max - births.length - state.add - countActive(state.named(), now)
    if (state.stored.counted > most || births.some((birth) => birth.form !== form)) return null
    return new Bearing(births, state, most)
  }

  /** Whether these are claims of theirs. They were asked about one after the other. */
  claimsAll(asked: readonly ClaimKey[]): boolean {
    const { births } = this
    let at = 0
    for (const { tenant_id, key } of asked) {
      while (at < births.length && births[at]?.claim !== key) at++
      if (tenant_id !== births[at]?.tenant_id) return false
    }
    return true
  }

  /** It is going to be so. */
  settle(): void {
    const { births } = this
    const etag = String(FIRST_VERSION)
    this.#slot.change(births.length, this.#most, null)
    for (const birth of births) birth.written(etag)
  }

  /** What there is more of then. */
  count(counts: StateCounts): void {
    const { births } = this
    const { tenant_id, job, steps } = this.#form
    for (const { state } of steps) counts.add(tenant_id, 'step', state, births.length)
    counts.add(tenant_id, 'job', job.state, births.length)
  }
}
