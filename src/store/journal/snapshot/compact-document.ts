import type { DocumentRecord } from '../../../core/document/record.ts'
import { USUAL_TENANT } from './key-text.ts'

/** What most documents have. It is not written, since there may be many millions of them. */
const USUAL = { retry_count: 0, max_retries: 3, error_type: null, error_message: null } as const

type Always = 'state' | 'updated_at' | 'adapter' | 'metadata' | 'etag'
type Seldom = keyof typeof USUAL | 'tenant_id'

/** A document as it stands in the file; its `doc_id` is the key. */
export type CompactDocument = Pick<DocumentRecord, Always> & {
  readonly [F in Seldom]?: DocumentRecord[F]
}

type Draft = { -readonly [F in keyof CompactDocument]: CompactDocument[F] }

export function compactDocument(document: DocumentRecord): CompactDocument {
  const { state, updated_at, adapter, metadata, etag } = document
  const { retry_count, max_retries, error_type, error_message, tenant_id } = document
  const usual =
    retry_count === USUAL.retry_count &&
    max_retries === USUAL.max_retries &&
    error_type === null &&
    error_message === null
  if (usual) {
    const plain = { state, updated_at, adapter, metadata, etag }
    return tenant_id === USUAL_TENANT ? plain : { ...plain, tenant_id }
  }
  const compact: Partial<Draft> = { state, updated_at, adapter, metadata }
  if (retry_count !== USUAL.retry_count) compact.retry_count = retry_count
  if (max_retries !== USUAL.max_retries) compact.max_retries = max_retries
  if (error_type !== null) compact.error_type = error_type
  if (error_message !== null) compact.error_message = error_message
  compact.etag = etag
  if (tenant_id !== USUAL_TENANT) compact.tenant_id = tenant_id
  return compact as CompactDocument
}

export function fullDocument(compact: CompactDocument, tenant_id: string, doc_id: string): DocumentRecord {
  return {
    kind: 'document',
    tenant_id,
    doc_id,
    state: compact.state,
    updated_at: compact.updated_at,
    adapter: compact.adapter,
    metadata: compact.metadata,
    retry_count: compact.retry_count ?? USUAL.retry_count,
    max_retries: compact.max_retries ?? USUAL.max_retries,
    error_type: compact.error_type ?? null,
    error_message: compact.error_message ?? null,
    etag: compact.etag,
  }
}
