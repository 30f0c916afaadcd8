import type { StepState } from '../machines/step.ts'

/** One attempt at a step, as the history tells it. Times are ISO; null: it did not happen, or not yet. */
export interface AttemptTold {
  readonly step_id: string
  readonly step_index: number
  readonly attempt_no: number
  readonly dispatched_at: string
  readonly sent_at: string | null
  readonly acked_at: string | null
  readonly ended_at: string | null
  /** The state that the attempt ended in; null while it goes on. */
  readonly outcome: StepState | null
  readonly holder: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  /** When the next one starts, or was to. */
  readonly retry_at: string | null
}
