import type { AuditRecord } from '../core/audit.ts'
import type { DurationRow } from '../core/durations.ts'
import { InvalidInput } from '../errors/input-errors.ts'
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

  /**
   * How many records of the history match, by the fields named: errors by type, transitions by their two states.
   * The most frequent first.
   *
   * ```ts
   * await ledger.audit.countBy(['old_state', 'new_state'], { kind: 'document', event: 'moved' })
   * ```
   */
  async countBy<const F extends AuditField>(
    fields: readonly F[],
    query: Omit<AuditQuery, 'after' | 'limit' | 'direction'> = {},
  ): Promise<readonly AuditCount<F>[]> {
    for (const field of fields) checkField(field)
    const groups = new Map<string, { values: Pick<AuditRecord, F>; count: number }>()
    for await (const record of this.records(query)) {
      const key = JSON.stringify(fields.map((field) => record[field]))
      const group = groups.get(key)
      if (group !== undefined) group.count++
      else if (groups.size === MOST_GROUPS) throw tooManyGroups(fields)
      else groups.set(key, { values: pick(record, fields), count: 1 })
    }
    return [...groups.values()]
      .sort((a, b) => b.count - a.count)
      .map(({ values, count }) => ({ ...values, count }))
  }
}

/** What the history can be counted by. */
export const AUDIT_FIELDS = [
  'tenant_id',
  'kind',
  'event',
  'old_state',
  'new_state',
  'adapter',
  'error_type',
  'actor',
] as const

export type AuditField = (typeof AUDIT_FIELDS)[number]

export type AuditCount<F extends AuditField = AuditField> = Pick<AuditRecord, F> & { readonly count: number }

/** More could not be looked at, and would not fit into memory for ever. */
const MOST_GROUPS = 100_000

function checkField(field: unknown): void {
  if (AUDIT_FIELDS.some((known) => known === field)) return
  throw new InvalidInput(
    'fields',
    `The history is not counted by ${field}`,
    `Use any of: ${AUDIT_FIELDS.join(', ')}.`,
  )
}

function pick<F extends AuditField>(record: AuditRecord, fields: readonly F[]): Pick<AuditRecord, F> {
  return Object.fromEntries(fields.map((field) => [field, record[field]])) as Pick<AuditRecord, F>
}

function tooManyGroups(fields: readonly AuditField[]): InvalidInput {
  const message = `There are more than ${MOST_GROUPS} different values of ${fields.join(', ')}`
  return new InvalidInput('fields', message, 'Narrow it down with a filter, or count by fewer fields.')
}
