// Rows of `Jobs` and `Outbox` are in a partition for each tenant and month, by when they were made. Which months there are
// is noted beside the lanes.
import { toIso } from '../../core/time.ts'
import type { Engine } from './engine.ts'
import { key, part, rangeOf } from './keys.ts'
import { LEDGER } from './ledger-rows.ts'
import { INDEX } from './table-names.ts'

const MONTH = 'month'

export const NOTED_MONTHS = rangeOf(MONTH)

/** Such as `202611`. */
export function monthOf(iso: string): string {
  return iso.slice(0, 4) + iso.slice(5, 7)
}

export function monthKey(tenant_id: string, month: string): string {
  return key(part(tenant_id), month)
}

export function monthOfRow({ rk }: { readonly rk: string }): string {
  return rk.slice(MONTH.length + 1)
}

const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i

/** The month in which an id was made up; null when it does not say. */
export function monthOfId(id: string): string | null {
  const [, high, low] = UUID_7.exec(id) ?? []
  return high === undefined || low === undefined ? null : monthOf(toIso(Number.parseInt(high + low, 16)))
}

export class Months {
  readonly #engine: Engine
  #noted = new Set<string>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  know(months: Iterable<string>): void {
    this.#noted = new Set([...this.#noted, ...months])
  }

  /** Before anything is put there. */
  async note(month: string): Promise<void> {
    if (this.#noted.has(month)) return
    await this.#engine.service.write(INDEX, LEDGER, [{ verb: 'put', rk: key(MONTH, month), columns: {} }])
    this.#noted.add(month)
  }

  /** All of them, the oldest first. */
  async all(): Promise<readonly string[]> {
    const { from: rkFrom, before: rkBefore } = NOTED_MONTHS
    const { rows } = await this.#engine.service.query(INDEX, { pk: LEDGER, rkFrom, rkBefore })
    this.know(rows.map(monthOfRow))
    return [...this.#noted].sort()
  }
}
