import { queryOptions } from '@tanstack/react-query'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import type { LedgerStats } from '../../../src/ledger/ledger.ts'
import { ask } from './client.ts'

/** Kinds of records that tenants have, and that are counted. */
export type CountedKind = Exclude<RecordKind, 'queue' | 'token'>

export interface Stats {
  readonly tenant_id: string
  /** Zeros, too. */
  readonly counts: { readonly [kind in CountedKind]: { readonly [state: string]: number } }
  /** Only for those who are for all tenants. */
  readonly ledger?: LedgerStats
}

export const statsQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['stats', tenant],
    queryFn: ({ signal }) => ask<Stats>('/v1/stats', { signal, query: { tenant_id: tenant } }),
    meta: { topics: ['job', 'document', 'run', 'workstream', 'step', 'outbox', 'schedule'] },
  })
