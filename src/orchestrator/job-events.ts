// The history in the words of those who run tools: `job.started`, then `job.completed`, `job.failed` or `job.timeout`.
import type { AuditRecord } from '../core/audit.ts'
import { toolOfService } from '../core/job/tool-service.ts'
import { attemptStatusOf } from '../core/job/tool-status.ts'
import { isJsonObject, type JsonObject, numberIn } from '../core/json.ts'
import { fromEpochSeconds, toIso } from '../core/time.ts'
import type { JobEvent } from './state-interface.ts'

/** What happened, if it is worth telling. */
export function eventOf(record: AuditRecord): JobEvent | null {
  if (record.event === 'noted') return recordedEvent(record)
  const tool = toolOfService(record.adapter)
  if (record.event !== 'moved' || tool === null) return null
  const end = record.kind === 'step' ? ofAttempt(record) : record.kind === 'job' ? ofJob(record) : null
  if (end === null) return null
  const { metadata, job_id } = record
  return told(record, `job.${end.type}`, {
    job_id,
    run_id: metadata.run_id ?? null,
    ws_id: metadata.workstream_id ?? null,
    tool,
    status: end.status,
    exit_code: numberIn(metadata.exit_code),
    duration_s: numberIn(metadata.duration_s) ?? record.duration_seconds,
    attempt_no: metadata.attempt_no ?? null,
    ...(record.error_type === null
      ? null
      : { error: { code: record.error_type, message: record.error_message } }),
  })
}

/** Somebody had it recorded. */
function recordedEvent(record: AuditRecord): JobEvent | null {
  const { event_type, payload } = record.metadata
  if (typeof event_type !== 'string') return null
  const about = aboutOf(record)
  return told(record, event_type, { ...about, ...(isJsonObject(payload) ? payload : null) })
}

function aboutOf({ kind, id, metadata }: AuditRecord): JsonObject {
  if (kind === 'run') return { run_id: id }
  if (kind === 'workstream') return { ws_id: id }
  return { job_id: id, run_id: metadata.run_id ?? null, ws_id: metadata.workstream_id ?? null }
}

interface End {
  readonly type: string
  readonly status: string
}

function ofAttempt(record: AuditRecord): End | null {
  const { new_state, metadata } = record
  const status = attemptStatusOf(record)
  // On its way to a worker nothing has begun, and what nobody began with its job tells.
  if (status === 'running') return new_state === 'IN_PROGRESS' ? { type: 'started', status } : null
  if (status === 'cancelled' && metadata.attempt_no === 0) return null
  return { type: new_state === 'FAILED_RETRY' ? 'retrying' : status, status }
}

/** Of a job that nobody began with nothing else tells. */
function ofJob({ new_state, old_state, metadata }: AuditRecord): End | null {
  if (old_state === null) return { type: 'queued', status: 'queued' }
  if (metadata.attempt_no !== 0) return null
  if (new_state === 'FAILED_FINAL') return { type: 'failed', status: 'failed' }
  return new_state === 'CANCELLED' ? { type: 'cancelled', status: 'cancelled' } : null
}

function told({ cursor, timestamp }: AuditRecord, event_type: string, payload: JsonObject): JobEvent {
  return { cursor, event_type, timestamp: toIso(fromEpochSeconds(timestamp)), payload }
}
