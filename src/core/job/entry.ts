// A job as stage code sees it: the same record, in the words of pipelines.
import type { JobAggregate } from '../aggregate.ts'
import type { JsonObject } from '../json.ts'
import type { JobState } from '../machines/job.ts'
import { BOOTSTRAP } from './protocol.ts'
import type { JobRecord, StepRecord } from './record.ts'

export type EntryStatus = 'queued' | 'processing' | 'cancelling' | 'completed' | 'failed' | 'cancelled'

const STATUS_OF = {
  QUEUED: 'queued',
  DISPATCHING: 'processing',
  IN_PROGRESS: 'processing',
  CANCELLING: 'cancelling',
  SUCCEEDED: 'completed',
  FAILED_FINAL: 'failed',
  CANCELLED: 'cancelled',
} as const satisfies { readonly [S in JobState]: EntryStatus }

export interface LedgerEntry {
  readonly tenant_id: string
  readonly job_id: string
  readonly doc_key: string | null
  readonly doc_id: string | null
  readonly pipeline_name: string | null
  readonly status: EntryStatus
  /** `pending`, then `bootstrap` until the first stage starts, then the stage it is at. */
  readonly stage: string
  /** How often the run was begun, as far as its scheduler said. */
  readonly attempts: number
  readonly retry_count_per_stage: { readonly [stage: string]: number }
  readonly error_reason: string | null
  readonly metadata: JsonObject
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly etag: string
}

export function entryOf(aggregate: JobAggregate): LedgerEntry {
  const { job, steps } = aggregate
  const { tenant_id, job_id, doc_key, doc_id, pipeline_name, created_at, updated_at, completed_at, etag } =
    job
  return {
    tenant_id,
    job_id,
    doc_key,
    doc_id,
    pipeline_name,
    status: STATUS_OF[job.state],
    stage: stageOf(job, steps),
    attempts: job.job_attempts,
    retry_count_per_stage: retriesOf(steps),
    error_reason: job.error_message,
    metadata: pipeline_name === null ? job.metadata : withPayload(job),
    created_at,
    updated_at,
    completed_at,
    etag,
  }
}

/** What gates look at. */
export function entryFacts({ job, steps }: JobAggregate): JsonObject {
  return {
    job_id: job.job_id,
    doc_key: job.doc_key,
    doc_id: job.doc_id,
    pipeline_name: job.pipeline_name,
    status: STATUS_OF[job.state],
    stage: stageOf(job, steps),
    retry_count_per_stage: retriesOf(steps),
    priority: job.priority,
    run_id: job.run_id,
    workstream_id: job.workstream_id,
    tags: job.tags,
  }
}

/** A job says once what it was given. */
function withPayload({ metadata, payload }: JobRecord): JsonObject {
  return Object.hasOwn(metadata, 'payload') ? metadata : { ...metadata, payload }
}

function stageOf(job: JobRecord, steps: readonly StepRecord[]): string {
  const hasBegun = steps.some(({ attempt_no }) => attempt_no > 0)
  if (!hasBegun && job.current_step_index === 0) return 'pending'
  return job.state === 'DISPATCHING' ? BOOTSTRAP : job.current_step_id
}

function retriesOf(steps: readonly StepRecord[]): { [stage: string]: number } {
  const retries: { [stage: string]: number } = {}
  for (const { step_id, attempt_no, released } of steps) {
    if (attempt_no - released > 1) retries[step_id] = attempt_no - released - 1
  }
  return retries
}
