import type { JobAggregate } from '../aggregate.ts'
import { activeStep } from './waiting.ts'

/** A job in the words of those who run tools. */
export type ToolStatus = 'queued' | 'running' | 'completed' | 'failed' | 'timeout' | 'cancelled'

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
      return job.error_code === 'TIMEOUT' ? 'timeout' : 'failed'
    case 'CANCELLED':
      return 'cancelled'
  }
}
