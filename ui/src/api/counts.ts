import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'

type CountedKind = 'document' | 'job' | 'run' | 'workstream' | 'schedule'

export type Counts = { readonly [state: string]: number }

/** How many records of a kind are in each state. */
export function countsQuery(tenant: string, kind: CountedKind) {
  return queryOptions({
    queryKey: ['counts', tenant, kind],
    queryFn: async ({ signal }) => {
      const { counts } = await ask<{ readonly counts: { readonly [kind: string]: Counts } }>('/v1/stats', {
        query: { tenant_id: tenant },
        signal,
      })
      return counts[kind] ?? {}
    },
    meta: { topics: [kind] },
  })
}
