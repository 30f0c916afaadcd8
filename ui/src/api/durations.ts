import { queryOptions } from '@tanstack/react-query'
import type { DurationRow } from '../../../src/core/durations.ts'
import { ask } from './client.ts'

/** How long steps are worked on, by who works on them. */
export const stageDurationsQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['durations', tenant, 'step', 'IN_PROGRESS'],
    queryFn: ({ signal }) =>
      ask<{ readonly items: readonly DurationRow[] }>('/v1/audit/durations', {
        signal,
        query: { tenant_id: tenant, kind: 'step', state: 'IN_PROGRESS', by: 'adapter' },
      }),
    meta: { topics: ['step'], restMs: 2000 },
  })
