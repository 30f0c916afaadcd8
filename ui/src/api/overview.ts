import { queryOptions } from '@tanstack/react-query'
import type { Overview } from '../../../src/ledger/overview.ts'
import { ask } from './client.ts'

export const overviewQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['overview', tenant],
    queryFn: ({ signal }) => ask<Overview>('/v1/overview', { signal, query: { tenant_id: tenant } }),
    meta: { topics: ['job', 'step', 'outbox', 'run', 'queue'] },
  })
