import type { JobRecord, OutboxRecord, StepRecord } from '../core/job/record.ts'
import { EMPTY } from '../core/json.ts'

// What a record is when nothing else is said of it. Writing leaves out what is as it is here, reading fills it in again.
// docs/journal-format.md has the same tables for everybody else.

const NONE: readonly never[] = Object.freeze([])
const NOTHING = EMPTY

export const USUAL_JOB = {
  doc_id: null,
  idempotency_key: null,
  current_step_index: 0,
  attempts_total: 0,
  priority: 2,
  depends_on: NONE,
  on_dependency_failure: 'fail',
  run_at: null,
  expires_at: null,
  again_of: null,
  schedule_id: null,
  unlimited: false,
  pipeline_name: null,
  doc_key: null,
  metadata: NOTHING,
  job_attempts: 0,
  report_by: null,
  escalation: null,
  run_id: null,
  workstream_id: null,
  tags: NONE,
  schema_version: 'v1',
  callback_urls: null,
  correlation_id: null,
  traceparent: null,
  resolved_mode: 'DEFAULT',
  decision_source: 'GLOBAL_CONFIG',
  decision_reason: 'default',
  completed_at: null,
  error_code: null,
  error_message: null,
  waits_for: NONE,
  due_at: null,
  ready: null,
} as const satisfies Partial<JobRecord>

export const USUAL_STEP = {
  limits: NONE,
  policy: NOTHING,
  gate: null,
  document: null,
  attempt_no: 0,
  released: 0,
  lease_id: null,
  lease_expires_at: null,
  holder: null,
  queue_slot: false,
  ack_deadline_at: null,
  retry_at: null,
  workspace_ref: null,
  payload: null,
  output: null,
  output_file: null,
  result_ref: null,
  resolved_mode: null,
  lane: null,
  routing_key_used: null,
  decision_source: null,
  decision_reason: null,
  last_error_code: null,
  last_error_message: null,
  completed_at: null,
} as const satisfies Partial<StepRecord>

export const USUAL_ROW = {
  tries: 0,
  taken_until: null,
  next_try_at: null,
  last_error_code: null,
  last_error_message: null,
  sent_at: null,
} as const satisfies Partial<OutboxRecord>

/** Whether a field need not be written: it is what it would be anyway. */
export function isUsual(value: unknown, usual: unknown): boolean {
  return (
    value === usual || (isEmpty(value) && isEmpty(usual) && Array.isArray(value) === Array.isArray(usual))
  )
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
