// How a job counts for the run and the workstream that it belongs to.
import type { JobRecord } from '../job/record.ts'
import { openStatesOf, statesOf } from '../machine.ts'
import { type JobState, jobMachine } from '../machines/job.ts'

export const OPEN_JOB: readonly JobState[] = openStatesOf(jobMachine)

/** One that was cancelled need not have begun. */
export const BEGUN_JOB: readonly JobState[] = statesOf(jobMachine).filter(
  (state) => state !== 'QUEUED' && state !== 'CANCELLED',
)

/** One that was escalated counts by whoever took over. */
export function countsAsFailed({ escalation }: JobRecord): boolean {
  return escalation === null || escalation.escalated_to === null
}

/** One that was passed over because of another was left out on purpose. */
export function countsAsCancelled({ error_code }: JobRecord): boolean {
  return error_code !== 'DEPENDENCY_SKIPPED'
}

/** One that has not begun could, as far as others go. */
export function couldStart({ waits_for }: JobRecord): boolean {
  return waits_for.length === 0
}
