import { queryOptions } from '@tanstack/react-query'
import type { DocumentAsOf } from '../../../src/core/document/as-of.ts'
import type { DocumentRecord } from '../../../src/core/document/record.ts'
import type { StuckDocument } from '../../../src/core/document/stuck.ts'
import type { PageAnswer } from '../lists/pages.ts'
import { change } from './change.ts'
import { ask, path } from './client.ts'
import type { HistoryRecord } from './live.ts'

export type { DocumentAsOf, DocumentRecord, StuckDocument }

export interface DocumentFilter {
  readonly tenant_id: string
  readonly state?: string | undefined
  readonly adapter?: string | undefined
  readonly q?: string | undefined
}

export function documentsPage(filter: DocumentFilter, after: string | undefined, signal: AbortSignal) {
  const query = { ...filter, order: 'changed', direction: 'desc', after }
  return ask<PageAnswer<DocumentRecord>>('/v1/documents', { query, signal })
}

interface StuckFilter extends Omit<DocumentFilter, 'q'> {
  readonly hours?: string | undefined
}

const MOST_STUCK = 1000

interface StuckAnswer {
  readonly items: readonly StuckDocument[]
  readonly is_more: boolean
}

/** Those that are stuck come without pages, the longest first; text is looked for here. */
export async function stuckPage(
  { q, ...filter }: StuckFilter & { readonly q?: string | undefined },
  signal: AbortSignal,
) {
  const query = { ...filter, limit: MOST_STUCK }
  const { items } = await ask<StuckAnswer>('/v1/stuck', { query, signal })
  const text = q?.toLowerCase() ?? ''
  const found = items.filter(({ doc_id, adapter }) => `${doc_id}\n${adapter}`.toLowerCase().includes(text))
  return { items: found, next: null }
}

export function documentQuery(tenant: string, id: string) {
  return queryOptions({
    queryKey: ['document', tenant, id],
    queryFn: ({ signal }) =>
      ask<DocumentRecord>(path('/v1/documents/{}', id), { query: { tenant_id: tenant }, signal }),
    meta: { topics: ['document'] },
  })
}

/** As it was at a time, in ISO 8601. */
export function documentAtQuery(tenant: string, id: string, at: string) {
  return queryOptions({
    queryKey: ['document', tenant, id, 'at', at],
    queryFn: ({ signal }) =>
      ask<DocumentAsOf>(path('/v1/documents/{}', id), { query: { tenant_id: tenant, at }, signal }),
    meta: { topics: ['document'] },
  })
}

export function documentHistoryPage(
  tenant: string,
  id: string,
  after: string | undefined,
  signal: AbortSignal,
) {
  const query = { tenant_id: tenant, direction: 'desc', after }
  return ask<PageAnswer<HistoryRecord>>(path('/v1/documents/{}/history', id), { query, signal })
}

interface Move {
  readonly document: DocumentRecord
  readonly state: string
  readonly reason: string
}

export function moveDocument({ document: { tenant_id, doc_id, etag }, state, reason }: Move) {
  const body = { state }
  return change<DocumentRecord>(path('/v1/documents/{}:move', doc_id), {
    tenant: tenant_id,
    reason,
    etag,
    body,
  })
}
