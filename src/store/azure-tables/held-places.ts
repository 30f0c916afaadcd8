import { RecentlyUsed } from '../recently-used.ts'
import { nameOfRow } from './azure-cell.ts'
import type { Engine } from './engine.ts'
import type { SlotRowRead } from './idempotency-rows.ts'
import type { Settling } from './settling.ts'

/** Places of limits of which it is remembered that they are held. */
const MOST_HELD = 10_000

/** Whether a place under a limit is somebody's, or was left behind by who never came to decide. */
export class HeldPlaces {
  readonly #engine: Engine
  readonly #settling: Settling
  /** By their rows and etags: rows that are written together may have the same one. */
  readonly #held = new RecentlyUsed<string, true>(MOST_HELD)

  constructor(engine: Engine, settling: Settling) {
    this.#engine = engine
    this.#settling = settling
  }

  /** One that nobody holds is free from then on. */
  async isHeld(row: SlotRowRead): Promise<boolean> {
    const { tentative, ref, etag, isJobs } = row
    if (tentative === null || this.#held.has(nameOfHold(row))) return true
    if (isJobs && (await this.#isToldByJob(row))) return true
    const isDecided = (await this.#settling.outcomeOf(tentative.change, tentative.by)) === 'decided'
    // Decided, and given back since; unless it has been decided this very moment.
    if (isDecided && (!isJobs || (await this.#isToldByJob(row)))) return true
    await this.#engine.service.write(ref.table, ref.pk, [{ verb: 'delete', rk: ref.rk, etag }])
    return false
  }

  /** A job's own row says which places it holds. */
  async #isToldByJob(row: SlotRowRead): Promise<boolean> {
    const { tenant_id, owner, key, ref } = row
    const { meta } = await this.#settling.settled({ kind: 'job', tenant_id, id: owner })
    const isHeld = meta.job?.slots.some((slot) => slot.key === key && slot.rk === ref.rk) === true
    if (isHeld) this.#held.set(nameOfHold(row), true)
    return isHeld
  }
}

function nameOfHold({ ref, etag }: SlotRowRead): string {
  return `${nameOfRow(ref)} ${etag}`
}
