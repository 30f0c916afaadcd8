// Faults in reading: pages, filters, orders, counts and the followers of the log.
import { type AuditRecord, REFUSALS_KEPT_PER_RECORD } from '../../../src/core/audit.ts'
import type { AuditQuery, DurationsQuery, FindQuery } from '../../../src/store/query.ts'
import type { Store, WatchOptions } from '../../../src/store/store.ts'
import { type Fault, verbs } from './fault.ts'

type Find = Store['find']

export const READING_FAULTS: readonly Fault[] = [
  verbs('shows the last row of a page again on the next', ['find', 'histories'], (sound) => {
    let last: unknown
    const find = async (query: FindQuery) => {
      const page = await sound.find(query)
      const items = query.after === undefined ? page.items : [last, ...page.items].slice(0, query.limit)
      last = page.items.at(-1)
      return { ...page, items }
    }
    return { find: find as Find }
  }),
  verbs('skips the first row of every further page', ['find', 'histories'], (sound) => ({
    find: (async (query: FindQuery) => {
      const page = await sound.find(query)
      return query.after === undefined ? page : { ...page, items: page.items.slice(1) }
    }) as Find,
  })),
  verbs('ends a listing after the second page', ['find', 'histories'], (sound) => ({
    find: (async (query: FindQuery) => {
      const page = await sound.find(query)
      return query.after === undefined ? page : { ...page, next: null }
    }) as Find,
  })),
  verbs('shows records of every tenant to all of them', ['find', 'histories'], (sound) => ({
    find: (({ tenant_id, ...query }: FindQuery) => sound.find(query)) as Find,
  })),
  verbs('sorts in one direction only', ['find', 'histories'], (sound) => ({
    find: (({ direction, ...query }: FindQuery) => sound.find(query)) as Find,
  })),
  verbs('filters by the first of several values', ['find'], (sound) => ({
    find: (({ where = {}, ...query }: FindQuery) => {
      const first = Object.entries(where).map(([field, value]) => [field, [value].flat()[0]])
      return sound.find({ ...query, where: Object.fromEntries(first) })
    }) as Find,
  })),
  verbs('finds a record by its id alone, whatever the tenant', ['transact'], (sound) => ({
    get: (async (key: Parameters<Store['get']>[0]) => {
      const found = await sound.get(key)
      if (found !== null || key.kind !== 'document') return found
      const { items } = await sound.find({ kind: 'document' })
      return items.find(({ doc_id }) => doc_id === key.id) ?? null
    }) as Store['get'],
  })),
  verbs('answers from a cache that nobody clears', ['etags', 'histories'], (sound) => {
    const cache = new Map<string, unknown>()
    const get = async (key: Parameters<Store['get']>[0]) => {
      const name = JSON.stringify(key)
      const cached = cache.get(name) ?? structuredClone(await sound.get(key))
      if (cached !== null) cache.set(name, cached)
      return cached
    }
    return { get: get as Store['get'] }
  }),
  verbs('counts one too many', ['counts', 'histories'], (sound) => ({
    counts: async (kind, tenant_id) => {
      const counts = await sound.counts(kind, tenant_id)
      return Object.fromEntries(Object.entries(counts).map(([state, n]) => [state, n > 0 ? n + 1 : n]))
    },
  })),
  verbs('counts all tenants as one', ['counts', 'histories'], (sound) => ({
    counts: (kind) => sound.counts(kind),
  })),
  verbs('ignores by whom something was done', ['audit'], (sound) => ({
    audit: ({ actor, ...query }: AuditQuery) => sound.audit(query),
  })),
  verbs('includes the end of a span of time', ['audit', 'histories'], (sound) => ({
    audit: ({ before, ...query }: AuditQuery) =>
      sound.audit({ ...query, before: before === undefined ? undefined : before + 1 }),
  })),
  verbs('measures all tenants as one', ['durations'], (sound) => ({
    durations: async (query) => {
      const { tenant_id } = query
      const rows = await sound.durations({ ...query, tenant_id: undefined })
      return tenant_id === undefined ? rows : rows.map((row) => ({ ...row, tenant_id }))
    },
  })),
  verbs('measures also what left its state when the span of time was over', ['durations'], (sound) => ({
    durations: ({ before, ...query }: DurationsQuery) =>
      sound.durations({ ...query, before: before === undefined ? undefined : before + 1 }),
  })),
  verbs('measures no time in states that are only passed through', ['durations'], (sound) => ({
    durations: async (query) => (await sound.durations(query)).filter((row) => row.max_seconds > 0),
  })),
  verbs('takes the mean for the median', ['durations'], (sound) => ({
    durations: async (query) =>
      (await sound.durations(query)).map((row) => ({ ...row, p50_seconds: row.mean_seconds })),
  })),
  verbs('keeps every refusal', ['refusals'], (sound) => {
    const beyond: AuditRecord[] = []
    return {
      transact: async (keys, decide) => {
        const outcome = await sound.transact(keys, decide)
        const { items } = await sound.audit({ direction: 'desc', limit: 1 })
        if (!outcome.ok && items[0]?.event === 'refused') beyond.push(items[0])
        return outcome
      },
      audit: async (query) => {
        const page = await sound.audit(query)
        const more = query.event === 'refused' ? beyond.slice(REFUSALS_KEPT_PER_RECORD) : []
        return page.next === null ? { ...page, items: [...page.items, ...more] } : page
      },
    }
  }),
  verbs('skips every fourth record that it should push', ['watch'], (sound) => ({
    watch: (options) => filtered(sound, options, ({ seq }) => (seq % 4 === 0 ? 0 : 1)),
  })),
  verbs('pushes every fourth record twice', ['watch', 'histories'], (sound) => ({
    watch: (options) => filtered(sound, options, ({ seq }) => (seq % 4 === 0 ? 2 : 1)),
  })),
  verbs('starts a watch one record too late', ['watch'], (sound) => ({
    watch: (options) =>
      filtered(sound, options, ({ cursor }) => (Number(cursor) === Number(options?.after) + 1 ? 0 : 1)),
  })),
  verbs('pushes to every tenant what concerns one', ['watch'], (sound) => ({
    watch: (options) => sound.watch({ ...options, tenant_id: undefined }),
  })),
  verbs('goes on watching when it was aborted', ['watch'], (sound) => ({
    watch: (options) => sound.watch({ ...options, signal: undefined }),
  })),
]

async function* filtered(
  sound: Store,
  options: WatchOptions | undefined,
  times: (record: AuditRecord) => number,
): AsyncGenerator<AuditRecord> {
  for await (const record of sound.watch(options)) {
    for (let i = 0; i < times(record); i++) yield record
  }
}
