import type { ChangedRecord, ClosedRow } from '../tables.ts'
import { line } from './part-marks.ts'

// Records that are aggregates by themselves, and outbox rows that are closed.

export function recordText(record: ChangedRecord): string {
  return line(JSON.stringify(recordHead(record)), record.body)
}

export function closedText(row: ClosedRow): string {
  return line(JSON.stringify(closedHead(row)), row.body)
}

type RecordHead = ReturnType<typeof recordHead>

function recordHead(record: ChangedRecord) {
  const { kind, tenant_id, id, version, from, state, changed_at, adapter, run_id, isTold } = record
  return [kind, tenant_id, id, version, from, state, changed_at, adapter, run_id, isTold] as const
}

export function changedRecord([head = '', body = '']: readonly string[]): ChangedRecord {
  const [kind, tenant_id, id, version, from, state, changed_at, adapter, run_id, isTold] = JSON.parse(
    head,
  ) as RecordHead
  return { kind, tenant_id, id, version, from, body, state, changed_at, adapter, run_id, isTold }
}

type ClosedHead = ReturnType<typeof closedHead>

function closedHead({ tenant_id, outbox_id, job_id, step_id, state, changed_at }: ClosedRow) {
  return [tenant_id, outbox_id, job_id, step_id, state, changed_at] as const
}

export function closedRow([head = '', body = '']: readonly string[]): ClosedRow {
  const [tenant_id, outbox_id, job_id, step_id, state, changed_at] = JSON.parse(head) as ClosedHead

  return { tenant_id, outbox_id, job_id, step_id, state, changed_at, body }
}
