import type { PageAnswer } from '../lists/pages.ts'
import { ask, type Query } from './client.ts'
import type { HistoryRecord } from './live.ts'

/** A page of the history. */
export function auditPage(query: Query, signal: AbortSignal): Promise<PageAnswer<HistoryRecord>> {
  return ask<PageAnswer<HistoryRecord>>('/v1/audit', { query, signal })
}
