import type { JsonObject } from '../json.ts'
import type { WorkstreamState } from '../machines/workstream.ts'

export interface WorkstreamRecord {
  readonly kind: 'workstream'
  readonly tenant_id: string
  readonly workstream_id: string
  readonly run_id: string | null
  readonly state: WorkstreamState
  readonly state_since: string
  /** No more jobs are to come: it ends when those it has do. */
  readonly sealed: boolean
  readonly metadata: JsonObject
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  etag: string
}
