import type { HistoryRecord } from '../../api/live.ts'
import type { StageJob } from '../../api/stage-jobs.ts'
import { type Moment, msOf } from '../../format/time.ts'

export interface LastError {
  readonly job_id: string
  readonly code: string
  readonly message: string
  readonly at: Moment
}

/** Entries of a job's history that are about one of its stages. */
export function atStage(records: readonly HistoryRecord[], stage: string): readonly HistoryRecord[] {
  return records.filter(({ metadata }) => metadata.step_id === stage)
}

/** The later one of what the history of a job has last and what the last job that failed for good ended with. */
export function lastErrorOf(
  records: readonly HistoryRecord[],
  failed: StageJob | undefined,
): LastError | null {
  const found = [...records.flatMap(inRecord), ...(failed === undefined ? [] : inJob(failed))]
  const [latest] = found.toSorted((a, b) => msOf(b.at) - msOf(a.at))
  return latest ?? null
}

function inRecord({ job_id, error_type, error_message, timestamp }: HistoryRecord): LastError[] {
  if (job_id === null || error_type === null) return []
  return [{ job_id, code: error_type, message: error_message ?? '', at: timestamp }]
}

function inJob({ job_id, error_code, error_message, updated_at }: StageJob): LastError[] {
  if (error_code === null) return []
  return [{ job_id, code: error_code, message: error_message ?? '', at: updated_at }]
}
