import type { JobAggregate } from '../aggregate.ts'
import { activeStep } from './waiting.ts'

/** A job in the words of those who run tools. */
export type ToolStatus = 'queued' | 'running' | 'completed' | 'failed' | 'timeout' | 'cancelled'

/** The same of an attempt, by the last state that its step entered in it. */
export function attemptStatusOf({ new_state, error_type }: AttemptEnd): ToolStatus {
  switch (new_state) {
    case 'SUCCEEDED':
      return 'completed'
    case 'CANCELLED':
      return 'cancelled'
    case 'FAILED_RETRY':
    case 'FAILED_FINAL':
      return failedStatus(error_type)
    default:
      return 'running'
  }
}

interface AttemptEnd {
  readonly new_state: string
  readonly error_type: string | null
}

function failedStatus(code: string | null): 'timeout' | 'failed' {
  return code === 'TIMEOUT' ? 'timeout' : 'failed'
}

export function toolStatusOf({ job, steps }: JobAggregate): ToolStatus {
  switch (job.state) {
    case 'QUEUED':
    case 'DISPATCHING':
      return 'queued'
    case 'IN_PROGRESS':
      // Between two attempts nothing runs.
      return activeStep(steps)?.state === 'IN_PROGRESS' ? 'running' : 'queued'
    case 'CANCELLING':
      return 'running'
    case 'SUCCEEDED':
      return 'completed'
    case 'FAILED_FINAL':
      return failedStatus(job.error_code)
    case 'CANCELLED':
      return 'cancelled'
  }
}
