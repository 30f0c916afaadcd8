import { queryOptions } from '@tanstack/react-query'
import type { StuckDocument } from '../../../src/core/document/stuck.ts'
import { ask } from './client.ts'

export interface StuckList {
  readonly items: readonly StuckDocument[]
  readonly is_more: boolean
}

/** Documents become stuck by doing nothing: no news tells of it. */
const PAUSE_MS = 10_000

export const stuckQuery = (tenant: string, limit: number) =>
  queryOptions({
    queryKey: ['stuck', tenant, limit],
    queryFn: ({ signal }) => ask<StuckList>('/v1/stuck', { signal, query: { tenant_id: tenant, limit } }),
    refetchInterval: PAUSE_MS,
    meta: { topics: ['document'], restMs: 2000 },
  })
