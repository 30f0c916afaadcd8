import type { JobState } from '../core/machines/job.ts'

/** A file, and the job that touched it last. */
export interface TouchedFile {
  readonly file: string
  readonly repo_root: string | null
  readonly tenant_id: string
  readonly job_id: string
  readonly tool: string
  readonly state: JobState
  /** How it went, in the words of those who run tools. */
  readonly status: string
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly changed_at: string
  readonly commit_before: string | null
  readonly commit_after: string | null
}

export interface TouchedFiles {
  readonly items: readonly TouchedFile[]
  readonly is_more: boolean
}
