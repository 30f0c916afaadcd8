import type { FailureClass } from '../core/job/commands.ts'
import type { JsonObject } from '../core/json.ts'

export interface NonRetryableOptions extends ErrorOptions {
  /** What programs know it by; `NON_RETRYABLE` unless given. */
  readonly code?: string | undefined
  readonly details?: JsonObject | undefined
}

/** Throw it from a handler when trying again would not help: the step, and with it the job, fails at once. */
export class NonRetryable extends Error {
  readonly code: string
  readonly details: JsonObject | undefined
  readonly failure_class: FailureClass = 'NON_RETRYABLE'

  constructor(message: string, options: NonRetryableOptions = {}) {
    super(message, options)
    this.name = 'NonRetryable'
    this.code = options.code ?? 'NON_RETRYABLE'
    this.details = options.details
  }
}
