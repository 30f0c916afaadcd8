import type { LedgerRecord } from '../aggregate.ts'
import { EMPTY } from '../json.ts'
import type { JobRecord, StepRecord } from './record.ts'

/** What jobs say since format 1.1, and since they have metadata, as it was for all of them before. */
const JOB_DEFAULTS = {
  again_of: null,
  schedule_id: null,
  unlimited: false,
  pipeline_name: null,
  doc_key: null,
  metadata: EMPTY,
  job_attempts: 0,
  report_by: null,
  escalation: null,
} as const satisfies Partial<JobRecord>

const STEP_DEFAULTS = {
  released: 0,
  queue_slot: false,
  output_file: null,
  gate: null,
  document: null,
} as const satisfies Partial<StepRecord>

/**
 * Jobs and steps may have been written before some of their fields were thought of. Whoever reads one fills them in, so
 * that nothing else has to know.
 */
export function withDefaults<R extends LedgerRecord>(record: R): R {
  if (record.kind === 'job' && record.metadata === undefined) return { ...JOB_DEFAULTS, ...record }
  if (record.kind === 'step' && record.gate === undefined) return { ...STEP_DEFAULTS, ...record }
  return record
}
