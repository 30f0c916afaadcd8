/** A tool job as its file has it. */
export interface ToolJob {
  readonly job_id: string
  readonly run_id?: string
  readonly workstream_id: string
  readonly tool: string
  readonly command: { readonly exe: string; readonly args: readonly string[] }
  readonly env: { readonly [name: string]: string }
  readonly paths: {
    readonly repo_root: string
    /** Relative to `repo_root`, or absolute and inside it. */
    readonly working_dir: string
    /** Relative to `repo_root`, as the two that follow. */
    readonly log_file: string
    readonly error_report: string
  }
  readonly metadata?: {
    /** `none`, `retry_same` or `escalate_to_<tool>`. */
    readonly retry_policy?: string
    readonly timeout_seconds?: number
    readonly max_retries?: number
    readonly message_file?: string
    readonly files_scope?: readonly string[]
    /** Plain JSON. */
    readonly [more: string]: unknown
  }
}
