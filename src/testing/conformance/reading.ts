import assert from 'node:assert/strict'
import type { RecordOf } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { AuditQuery, Cursor, FindQuery, Page } from '../../store/query.ts'
import type { Store } from '../../store/store.ts'

const MOST_PAGES = 10_000

/** Everything a `find` finds, page by page; pages are full until the last. */
export function findAll<K extends RecordKind>(
  store: Store,
  query: FindQuery<K>,
): Promise<readonly RecordOf[K][]> {
  return allPages((after) => store.find({ ...query, after }), query.limit)
}

/** Everything an audit query finds, page by page. */
export function auditAll(store: Store, query: AuditQuery = {}): Promise<readonly AuditRecord[]> {
  return allPages((after) => store.audit({ ...query, after }), query.limit)
}

async function allPages<T>(
  read: (after: Cursor | undefined) => Promise<Page<T>>,
  limit: number | undefined,
): Promise<readonly T[]> {
  const all: T[] = []
  let after: Cursor | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, next } = await read(after)
    all.push(...items)
    if (limit !== undefined) {
      assert(items.length <= limit, `a page of ${limit} holds no more than that`)
      assert(next === null || items.length === limit, 'a page that is not the last is full')
    }
    if (next === null) return all
    assert(items.length > 0, 'a page that is not the last holds something')
    after = next
  }
  return assert.fail('reading page by page comes to an end')
}

/** As it would be after a trip through JSON: what is compared must not depend on how an engine builds objects. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value ?? null)) as T
}

/** A history in short: who went where. */
export function moves(records: readonly AuditRecord[]): readonly string[] {
  return records.map(({ kind, id, old_state, new_state }) => `${kind} ${id}: ${old_state} → ${new_state}`)
}

/** The states that a record entered, in order. */
export function statesEntered(records: readonly AuditRecord[]): readonly string[] {
  return records.map(({ new_state }) => new_state)
}
