import { queryOptions } from '@tanstack/react-query'
import type { TenantList } from '../../../src/ledger/tenants.ts'
import { ask } from './client.ts'

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: ({ signal }) => ask<TenantList>('/v1/tenants', { signal }),
  staleTime: 10_000,
})
