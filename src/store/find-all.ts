import type { RecordOf } from '../core/aggregate.ts'
import type { RecordKind } from '../core/machines/all.ts'
import { type FindQuery, LARGEST_PAGE } from './query.ts'
import type { Store } from './store.ts'

/** Everything that matches, read page by page as it is asked for. */
export async function* findAll<K extends RecordKind>(
  store: Store,
  query: Omit<FindQuery<K>, 'limit'>,
): AsyncGenerator<RecordOf[K]> {
  for await (const page of findPages(store, query)) yield* page
}

/** The same, whole pages at a time. */
export async function* findPages<K extends RecordKind>(
  store: Store,
  query: Omit<FindQuery<K>, 'limit'>,
  limit = LARGEST_PAGE,
): AsyncGenerator<readonly RecordOf[K][]> {
  let { after } = query
  for (;;) {
    const page = await store.find<K>({ ...query, after, limit } as FindQuery<K>)
    if (page.items.length > 0) yield page.items
    if (page.next === null) return
    after = page.next
  }
}
