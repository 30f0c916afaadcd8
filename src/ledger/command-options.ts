import type { StepError } from '../core/job/commands.ts'
import type { Rung } from '../core/job/record.ts'
import type { JsonObject } from '../core/json.ts'
import type { CallOptions } from './settings.ts'

/** For calls that the caller may have to repeat, because the answer was lost. */
export interface Repeatable {
  /** The same key again, from the same tenant, does nothing a second time, and is answered as well as the first. */
  readonly request_key?: string | undefined
}

export interface UpdateOptions extends CallOptions, Repeatable {
  /** Which source or stage reports this. */
  readonly adapter?: string | undefined
  /** Laid over the metadata that the document has. */
  readonly metadata?: JsonObject | undefined
  /**
   * What was thrown: its type, message and stack go into the history, without secrets. From elsewhere it may come as
   * `{ error_type, error_message, traceback }`.
   */
  readonly error?: unknown
  readonly retry_count?: number | undefined
  readonly max_retries?: number | undefined
  /** False takes an edge that the machine does not declare. */
  readonly validate?: boolean | undefined
}

export interface CreateOptions extends CallOptions, Repeatable {}

export interface ReleaseOptions extends CallOptions {
  /** Why, by a name of its own. */
  readonly error?: StepError | undefined
  /** How long nobody is to try it; at once when absent. */
  readonly delay_ms?: number | undefined
}

export interface SubmitToOptions extends CallOptions {
  /** What is tried when it fails for good, in order. */
  readonly rungs?: readonly Rung[] | undefined
}

export interface NewRun {
  readonly run_id?: string | undefined
  readonly metadata?: JsonObject | undefined
}

export interface NewWorkstream extends NewRun {
  readonly workstream_id?: string | undefined
}

/** Which attempt speaks: the fence around every callback. The step or outbox row that was handed out is one. */
export interface Attempt {
  readonly tenant_id?: string | undefined
  readonly job_id: string
  readonly step_id: string
  readonly attempt_no: number
  readonly lease_id: string | null
}
