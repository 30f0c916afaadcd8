import type { DocumentRecord, StuckDocument } from '../../api/documents.ts'

/** A document in the list, whichever way it was asked for. */
export interface ListedDocument {
  readonly tenant_id: string
  readonly doc_id: string
  readonly state: string
  readonly adapter: string
  /** Epoch seconds. */
  readonly since: number
  readonly retries: string | null
  readonly error: string | null
  /** What is too long for it, and who says so; null unless it is stuck. */
  readonly tooLong: { readonly ms: number; readonly why: string } | null
}

export function listed(document: DocumentRecord): ListedDocument {
  const { tenant_id, doc_id, state, adapter, updated_at, retry_count, max_retries } = document
  const { error_type, error_message } = document
  const error = [error_type, error_message].filter((part) => part !== null).join(': ')
  return {
    tenant_id,
    doc_id,
    state,
    adapter,
    since: updated_at,
    retries: retry_count === 0 ? null : `${retry_count} of ${max_retries}`,
    error: error === '' ? null : error,
    tooLong: null,
  }
}

const WHY = {
  given: 'the time you chose',
  p99: 'what 99 of 100 documents took',
  default: 'no document has left this state yet',
} as const

export function listedStuck({ threshold, ...stuck }: StuckDocument): ListedDocument {
  const { tenant_id, doc_id, state, adapter, since } = stuck
  const tooLong = { ms: threshold.hours * 3_600_000, why: WHY[threshold.from] }
  return { tenant_id, doc_id, state, adapter, since, retries: null, error: null, tooLong }
}
