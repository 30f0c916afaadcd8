import type { FailureClass } from '../core/job/commands.ts'
import type { JsonObject } from '../core/json.ts'

/** Throw it when trying again would not help: the step, and with it the job, fails at once. */
export class NonRetryable extends Error {
  readonly code: string
  readonly details: JsonObject | undefined
  readonly failure_class: FailureClass = 'NON_RETRYABLE'

  constructor(code: string, message: string, options: ErrorOptions & { details?: JsonObject } = {}) {
    super(message, options)
    this.name = 'NonRetryable'
    this.code = code
    this.details = options.details
  }
}
