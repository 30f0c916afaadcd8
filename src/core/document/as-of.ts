import type { AuditRecord } from '../audit.ts'
import type { DocumentState } from '../machines/document.ts'
import { fromEpochSeconds, toEpochSeconds } from '../time.ts'
import type { DocumentRecord } from './record.ts'
import { documentAfter, type ToldDocument } from './retell.ts'

/** A document as it was at some time. */
export interface DocumentAsOf extends ToldDocument {
  /** False when the history before this was removed: the state is right, the metadata may lack something. */
  readonly complete: boolean
}

/**
 * Finds out what a document was like at a time (epoch milliseconds) from its history, oldest record first. Ends
 * early: `add` answers false when nothing that follows can matter.
 */
export class DocumentHindsight {
  readonly #at: number
  #document: DocumentAsOf | null = null

  constructor(at: number) {
    this.#at = at
  }

  add(record: AuditRecord): boolean {
    if (record.event !== 'moved') return true
    if (fromEpochSeconds(record.timestamp) <= this.#at) {
      const complete = this.#document?.complete ?? isFirst(record)
      this.#document = { ...documentAfter(this.#document, record), complete }
      return true
    }
    this.#document ??= before(record, this.#at)
    return false
  }

  /** The document as it is now counts where all of its history was removed. */
  answer(now: DocumentRecord | null): DocumentAsOf | null {
    if (this.#document !== null || now === null || fromEpochSeconds(now.updated_at) > this.#at) {
      return this.#document
    }
    const { etag: _, kind: __, ...document } = now
    return { ...document, complete: true }
  }
}

/** What the first move that is still known says of the time before it. */
function before(record: AuditRecord, at: number): DocumentAsOf | null {
  if (isFirst(record)) return null
  const since = fromEpochSeconds(record.timestamp) - fromEpochSeconds(record.duration_seconds as number)
  if (since > at) return null
  return {
    tenant_id: record.tenant_id,
    doc_id: record.id,
    state: record.old_state as DocumentState,
    updated_at: toEpochSeconds(since),
    adapter: record.adapter,
    metadata: {},
    retry_count: record.retry_count,
    max_retries: record.max_retries,
    error_type: null,
    error_message: null,
    complete: false,
  }
}

/** A document not seen before was in no state for any time. */
function isFirst(record: AuditRecord): boolean {
  return record.duration_seconds === null
}
