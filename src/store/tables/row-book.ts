import type { OutboxRecord } from '../../core/job/record.ts'
import { rowName } from './missing.ts'
import type { ClosedRow, Wanted } from './tables.ts'

/** Outbox rows that are closed, as a group of decisions sees them. */
export class RowBook {
  /** Those that were closed here, or are new and closed already. */
  readonly closed = new Map<string, OutboxRecord>()
  /** Null where there is none. */
  readonly #rows = new Map<string, OutboxRecord | null>()

  know(wanted: Wanted['rows'], loaded: readonly ClosedRow[]): void {
    for (const { tenant_id, id } of wanted) this.#rows.set(rowName(tenant_id, id), null)
    for (const { tenant_id, outbox_id, body } of loaded) {
      this.#rows.set(rowName(tenant_id, outbox_id), JSON.parse(body))
    }
  }

  has({ tenant_id, outbox_id }: OutboxRecord): boolean {
    return this.#rows.has(rowName(tenant_id, outbox_id))
  }

  get({ tenant_id, outbox_id }: OutboxRecord): OutboxRecord | null {
    return this.#rows.get(rowName(tenant_id, outbox_id)) ?? null
  }

  close(row: OutboxRecord): void {
    const name = rowName(row.tenant_id, row.outbox_id)
    this.#rows.set(name, row)
    this.closed.set(name, row)
  }
}
