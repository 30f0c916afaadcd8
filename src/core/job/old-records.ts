import type { LedgerRecord } from '../aggregate.ts'
import type { JobRecord, StepRecord } from './record.ts'

/** What jobs say since format 1.1, as it was for all of them before. */
const JOB_DEFAULTS = {
  again_of: null,
  schedule_id: null,
  unlimited: false,
} as const satisfies Partial<JobRecord>

const STEP_DEFAULTS = {
  released: 0,
  queue_slot: false,
  output_file: null,
} as const satisfies Partial<StepRecord>

/**
 * Jobs and steps may have been written before some of their fields were thought of. Whoever reads one fills them in, so
 * that nothing else has to know.
 */
export function withDefaults<R extends LedgerRecord>(record: R): R {
  if (record.kind === 'job' && record.again_of === undefined) return { ...JOB_DEFAULTS, ...record }
  if (record.kind === 'step' && record.released === undefined) return { ...STEP_DEFAULTS, ...record }
  return record
}
