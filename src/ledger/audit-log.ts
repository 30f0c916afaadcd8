import type { AuditRecord } from '../core/audit.ts'
import { type AuditQuery, LARGEST_PAGE, type Page } from '../store/query.ts'
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
