import type { JsonObject } from '../json.ts'
import type { RunState } from '../machines/run.ts'

export interface RunRecord {
  readonly kind: 'run'
  readonly tenant_id: string
  readonly run_id: string
  readonly state: RunState
  readonly state_since: string
  /** No more jobs are to come: it ends when those it has do. */
  readonly sealed: boolean
  readonly metadata: JsonObject
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  etag: string
}
