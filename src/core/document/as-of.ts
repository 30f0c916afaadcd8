import type { AuditRecord } from '../audit.ts'
import { type JsonObject, withoutField } from '../json.ts'
import { isEdge } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { fromEpochSeconds, toEpochSeconds } from '../time.ts'
import type { DocumentRecord } from './record.ts'

/** A document as it was at some time. */
export interface DocumentAsOf extends Omit<DocumentRecord, 'etag' | 'kind'> {
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
      this.#document = after(this.#document, record)
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

/** What it was like after a move. */
function after(document: DocumentAsOf | null, record: AuditRecord): DocumentAsOf {
  return {
    tenant_id: record.tenant_id,
    doc_id: record.id,
    state: record.new_state as DocumentState,
    updated_at: record.timestamp,
    adapter: record.adapter,
    metadata: { ...document?.metadata, ...broughtBy(record) },
    retry_count: record.retry_count,
    max_retries: record.max_retries,
    error_type: record.error_type,
    error_message: record.error_message,
    complete: document?.complete ?? isFirst(record),
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

/** The mark of an edge that was not declared is for the history only. */
function broughtBy({ metadata, old_state, new_state }: AuditRecord): JsonObject {
  const isDeclared = isEdge(documentMachine, old_state as DocumentState, new_state as DocumentState)
  return isDeclared || metadata.validated !== false ? metadata : withoutField(metadata, 'validated')
}
