import type { RecordOf } from '../core/aggregate.ts'
import type { RecordKind } from '../core/machines/all.ts'
import { type FindQuery, LARGEST_PAGE } from '../store/query.ts'
import type { Store } from '../store/store.ts'

/** Everything that matches, read page by page as it is asked for. */
export async function* findAll<K extends RecordKind>(
  store: Store,
  query: Omit<FindQuery<K>, 'limit'>,
): AsyncGenerator<RecordOf[K]> {
  let after = query.after
  for (;;) {
    const page = await store.find<K>({ ...query, after, limit: LARGEST_PAGE } as FindQuery<K>)
    yield* page.items
    if (page.next === null) return
    after = page.next
  }
}
