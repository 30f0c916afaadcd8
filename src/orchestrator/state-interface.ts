import type { RunRecord } from '../core/group/run-record.ts'
import type { WorkstreamRecord } from '../core/group/workstream-record.ts'
import type { ToolStatus } from '../core/job/tool-status.ts'
import type { JsonObject } from '../core/json.ts'
import type { RunState } from '../core/machines/run.ts'

/** What a tool came to. */
export interface JobResult {
  readonly status: Exclude<ToolStatus, 'queued' | 'running'>
  readonly exit_code: number | null
  readonly duration_s: number
  readonly error?: { readonly code: string; readonly message: string } | undefined
  /** What the adapter found out: totals of tests, commits, files. */
  readonly metadata?: JsonObject | undefined
}

/** One attempt at a job. */
export interface JobAttempt {
  readonly attempt_no: number
  readonly status: ToolStatus
  readonly started_at: string
  readonly ended_at: string | null
  readonly exit_code: number | null
  readonly duration_s: number | null
  readonly worker: string
  readonly error: { readonly code: string; readonly message: string } | null
}

/** A tool job as it stands. */
export interface JobView {
  readonly job_id: string
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly tool: string
  readonly status: ToolStatus
  readonly priority: 'critical' | 'high' | 'normal' | 'low'
  readonly depends_on: readonly string[]
  readonly metadata: JsonObject
  readonly error: { readonly code: string; readonly message: string } | null
  /** The job that took over when this one had failed, and the one that it took over from. */
  readonly escalated_to: string | null
  readonly escalated_from: string | null
  readonly original_job_id: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
}

export type RunView = Omit<RunRecord, 'kind'> & { readonly status: RunState }
export type WorkstreamView = Omit<WorkstreamRecord, 'kind'> & { readonly status: WorkstreamRecord['state'] }

/** Something that happened: to a tool job, or whatever somebody recorded. */
export interface JobEvent {
  /** Where to go on from: everything after it is to come. */
  readonly cursor: string
  readonly event_type: string
  readonly timestamp: string
  readonly payload: JsonObject
}

/** Who keeps what is known of runs and jobs. `JobStateStore` does, in a ledger. */
export interface StateInterface {
  createRun(run?: { readonly run_id?: string; readonly metadata?: JsonObject }): Promise<RunView>
  getRun(run_id: string): Promise<RunView | null>
  updateRunStatus(run_id: string, status: RunState): Promise<RunView>
  /** Its tool has begun. */
  markJobRunning(job_id: string): Promise<JobView>
  /** Its tool has come to an end. */
  updateJobResult(job: { readonly job_id: string }, result: JobResult): Promise<JobView>
  listJobs(run_id?: string): Promise<readonly JobView[]>
  getJob(job_id: string): Promise<(JobView & { readonly attempts: readonly JobAttempt[] }) | null>
  recordEvent(event_type: string, payload: EventPayload): Promise<void>
  listWorkstreams(run_id?: string): Promise<readonly WorkstreamView[]>
  getWorkstream(ws_id: string): Promise<WorkstreamView | null>
  listRecentRuns(limit?: number): Promise<readonly RunView[]>
}

/** What it is about has to be named: a job, a workstream or a run. */
export type EventPayload = JsonObject &
  ({ readonly job_id: string } | { readonly ws_id: string } | { readonly run_id: string })
