import { idOf, type RecordOf } from '../core/aggregate.ts'
import { type Contains, containing, type SearchedKind, TEXTS_OF } from '../core/contained-text.ts'
import { readOn } from '../store/read-on.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'

export const SEARCHED_KINDS = ['job', 'document', 'run', 'workstream'] as const satisfies SearchedKind[]

export interface SearchHit {
  readonly kind: SearchedKind
  readonly tenant_id: string
  readonly id: string
  readonly state: string
  readonly title: string
}

export interface SearchResult {
  /** Those of that very name first. */
  readonly items: readonly SearchHit[]
  /** There are more, or not everything was looked at. */
  readonly is_more: boolean
}

export interface SearchQuery {
  readonly q: string
  /** All tenants when absent. */
  readonly tenant_id: string | undefined
}

const MOST_HITS = 20

/** Records of each kind that are looked at, those that changed last first. */
const MOST_LOOKED_AT = 5000

/** For each kind; somebody waits for it. */
const LOOKED_FOR_MS = 500

const ID_FIELD = { job: 'job_id', document: 'doc_id', run: 'run_id', workstream: 'workstream_id' } as const

/** Jobs, documents, runs and workstreams by their id, or a part of one of their names. */
export async function search(store: Store, clock: Clock, query: SearchQuery): Promise<SearchResult> {
  const contains = containing(query.q)
  const exact: SearchHit[] = []
  const others: SearchHit[] = []
  let is_more = false
  for (const kind of SEARCHED_KINDS) {
    exact.push(...(await named(store, kind, query)))
    const until = clock.now() + LOOKED_FOR_MS
    const matching = { contains, isEnough: () => clock.now() > until }
    const found = await partlyNamed(store, kind, query, matching)
    others.push(...found.hits.filter(({ id }) => id !== query.q))
    is_more ||= found.is_more
  }
  const items = [...exact, ...others]
  return { items: items.slice(0, MOST_HITS), is_more: is_more || items.length > MOST_HITS }
}

/** Of that very id, however old it is. */
async function named(store: Store, kind: SearchedKind, { q, tenant_id }: SearchQuery): Promise<SearchHit[]> {
  if (tenant_id !== undefined) {
    const record = await store.get({ kind, tenant_id, id: q })
    return record === null ? [] : [hitOf(record)]
  }
  const { items } = await store.find({ kind, where: { [ID_FIELD[kind]]: q }, limit: MOST_HITS })
  // A workstream has the id of its run, too.
  return items.filter((record) => idOf(record) === q).map(hitOf)
}

async function partlyNamed<K extends SearchedKind>(
  store: Store,
  kind: K,
  { tenant_id }: SearchQuery,
  { contains, isEnough }: { readonly contains: Contains; readonly isEnough: () => boolean },
) {
  const { items, next } = await readOn<RecordOf[K]>({
    page: (part) => store.find<K>({ kind, tenant_id, order: 'changed', direction: 'desc', ...part }),
    matches: (record) => contains(TEXTS_OF[kind](record)),
    limit: MOST_HITS,
    most: MOST_LOOKED_AT,
    isEnough,
  })
  return { hits: items.map(hitOf), is_more: next !== null }
}

function hitOf(record: RecordOf[SearchedKind]): SearchHit {
  const { kind, tenant_id, state } = record
  return { kind, tenant_id, id: idOf(record), state, title: titleOf(record) }
}

/** What else tells it from others. */
function titleOf(record: RecordOf[SearchedKind]): string {
  switch (record.kind) {
    case 'job':
      return record.pipeline_name ?? record.request_type
    case 'document':
      return record.adapter
    case 'run':
      return `Since ${record.created_at}`
    case 'workstream':
      return record.run_id ?? ''
  }
}
