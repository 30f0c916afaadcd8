import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Activity } from '../../../src/ledger/activity.ts'
import { ask } from './client.ts'

const SHORTEST_MS = 5000
const LONGEST_MS = 60_000

/** Time goes on even where nothing happens: it is asked for again at least once in a step. */
function pauseMs(minutes: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, minutes * 1000))
}

export const activityQuery = (tenant: string, minutes: number) =>
  queryOptions({
    queryKey: ['activity', tenant, minutes],
    queryFn: ({ signal }) => ask<Activity>('/v1/activity', { signal, query: { tenant_id: tenant, minutes } }),
    refetchInterval: pauseMs(minutes),
    // Another stretch of time takes the place of this one when it is there.
    placeholderData: (before, query) =>
      query?.queryKey[1] === tenant ? keepPreviousData(before) : undefined,
    meta: { topics: ['job', 'step', 'document', 'run', 'workstream'] },
  })
