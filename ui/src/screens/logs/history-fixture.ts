import type { HistoryRecord } from '../../api/live.ts'

/** An entry of the history, for tests. */
export function entry(seq: number, told: Partial<HistoryRecord> = {}): HistoryRecord {
  return {
    seq,
    cursor: String(seq),
    event: 'moved',
    tenant_id: 'acme',
    kind: 'job',
    id: `job-${seq}`,
    doc_id: null,
    job_id: `job-${seq}`,
    old_state: 'QUEUED',
    new_state: 'IN_PROGRESS',
    timestamp: 1_794_000_000 + seq,
    adapter: 'ocr',
    error_type: null,
    error_message: null,
    traceback: null,
    retry_count: 0,
    max_retries: 2,
    duration_seconds: null,
    metadata: {},
    actor: 'worker-1',
    reason: null,
    level: 'info',
    ...told,
  }
}

export function entries(from: number, to: number): HistoryRecord[] {
  return Array.from({ length: to - from + 1 }, (_, i) => entry(from + i))
}
