import type { FailureClass } from '../core/job/commands.ts'
import type { JsonObject } from '../core/json.ts'

export interface StepFailureOptions extends ErrorOptions {
  /** What programs know it by. */
  readonly code: string
  readonly failure_class?: FailureClass | undefined
  /** Laid over the metadata of the job. */
  readonly metadata?: JsonObject | undefined
}

/** An attempt failed, and there is more to know of it than what went wrong. */
export class StepFailure extends Error {
  readonly code: string
  readonly failure_class: FailureClass
  readonly metadata: JsonObject | undefined

  constructor(message: string, options: StepFailureOptions) {
    super(message, options)
    this.name = 'StepFailure'
    this.code = options.code
    this.failure_class = options.failure_class ?? 'RETRYABLE'
    this.metadata = options.metadata
  }
}
