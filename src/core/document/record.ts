import type { JsonObject } from '../json.ts'
import type { DocumentState } from '../machines/document.ts'

export interface DocumentRecord {
  readonly kind: 'document'
  readonly tenant_id: string
  readonly doc_id: string
  readonly state: DocumentState
  /** Epoch seconds at which it entered its state. */
  readonly updated_at: number
  /** Who last worked on it: the source or stage that reported the state. */
  readonly adapter: string
  readonly metadata: JsonObject
  readonly retry_count: number
  readonly max_retries: number
  readonly error_type: string | null
  readonly error_message: string | null
  etag: string
}
