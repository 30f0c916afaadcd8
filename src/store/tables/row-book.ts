import type { OutboxRecord } from '../../core/job/record.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { ClosedRow, Wanted } from './tables.ts'

/** Outbox rows that are closed, as a group of decisions sees them. */
export class RowBook {
  /** Those that were closed here, or are new and closed already. */
  readonly closed = new TwoKeys<OutboxRecord>()
  /** Null where there is none. */
  readonly #rows = new TwoKeys<OutboxRecord | null>()

  know(wanted: Wanted['rows'], loaded: readonly ClosedRow[]): void {
    for (const { tenant_id, id } of wanted) this.#rows.set(tenant_id, id, null)
    for (const { tenant_id, outbox_id, body } of loaded)
      this.#rows.set(tenant_id, outbox_id, JSON.parse(body))
  }

  has({ tenant_id, outbox_id }: OutboxRecord): boolean {
    return this.#rows.get(tenant_id, outbox_id) !== undefined
  }

  get({ tenant_id, outbox_id }: OutboxRecord): OutboxRecord | null {
    return this.#rows.get(tenant_id, outbox_id) ?? null
  }

  close(row: OutboxRecord): void {
    this.#rows.set(row.tenant_id, row.outbox_id, row)
    this.closed.set(row.tenant_id, row.outbox_id, row)
  }
}
