import type { AuditRecord } from '../core/audit.ts'
import type { DurationRow } from '../core/durations.ts'
import { type AuditQuery, type DurationsQuery, LARGEST_PAGE, type Page } from '../store/query.ts'
import type { Store } from '../store/store.ts'

/** `ledger.audit`: who did what to which record, when, why, and what was refused. */
export class AuditLog {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** One page. Absent filters match everything; without a tenant, all tenants are searched. */
  query(query: AuditQuery = {}): Promise<Page<AuditRecord>> {
    return this.#store.audit(query)
  }

  /**
   * How long records stayed in the states that they left, by kind, state and adapter: count, mean, p50, p95, p99 and
   * maximum. A state that was only passed through counts with no time; a record that is still in a state does not
   * count yet.
   */
  durations(query: DurationsQuery = {}): Promise<readonly DurationRow[]> {
    return this.#store.durations(query)
  }

  /** All that matches, read page by page as it is asked for. */
  async *records(query: AuditQuery = {}): AsyncGenerator<AuditRecord> {
    let after = query.after
    for (;;) {
      const page = await this.#store.audit({ ...query, after, limit: query.limit ?? LARGEST_PAGE })
      yield* page.items
      if (page.next === null) return
      after = page.next
    }
  }
}
