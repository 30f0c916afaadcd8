// Everything that matches, read page by page, the newest first, and handed over in the order in which it happened.
import type { HistoryRecord } from '../../api/live.ts'
import type { PageAnswer } from '../../lists/pages.ts'
import type { PageAsked } from './log-feed.ts'

const MOST_EXPORTED = 10_000
const PAGE = 1000

export interface ExportOptions {
  load(asked: PageAsked, signal: AbortSignal): Promise<PageAnswer<HistoryRecord>>
  matches(record: HistoryRecord): boolean
  onProgress(count: number): void
  readonly signal: AbortSignal
  readonly most?: number
}

export interface Exported {
  readonly records: readonly HistoryRecord[]
  /** There was more than is handed over. */
  readonly isMore: boolean
}

export async function readForExport(options: ExportOptions): Promise<Exported> {
  const { load, matches, onProgress, signal, most = MOST_EXPORTED } = options
  const found: HistoryRecord[] = []
  let after: string | undefined
  for (;;) {
    const { items, next } = await load({ direction: 'desc', after, limit: PAGE }, signal)
    signal.throwIfAborted()
    for (const record of items) if (matches(record)) found.push(record)
    onProgress(Math.min(found.length, most))
    if (next === null || found.length > most) break
    after = next
  }
  return { records: found.slice(0, most).reverse(), isMore: found.length > most }
}
