import type { JobState } from '../../../core/machines/job.ts'
import type { StepState } from '../../../core/machines/step.ts'
import type { Style } from '../../output/text-stream.ts'

const STYLES: { readonly [state in JobState | StepState]?: Style } = {
  SUCCEEDED: 'green',
  FAILED_FINAL: 'red',
  FAILED_RETRY: 'yellow',
  CANCELLING: 'yellow',
  CANCELLED: 'dim',
  PENDING: 'dim',
}

export function jobStyle(state: JobState): Style | undefined {
  return STYLES[state]
}

export function stepStyle(state: StepState): Style | undefined {
  return STYLES[state]
}

export function coded(code: string | null, message: string | null): string | null {
  if (code === null) return message
  return message === null || message === '' ? code : `${code}: ${message}`
}
