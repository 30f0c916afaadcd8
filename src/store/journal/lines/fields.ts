import type { AuditEntry } from '../../../core/audit.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { ChangeFields, EntryFields } from './line.ts'

/** In the long form nothing that is usual is left out. */
interface EntryLine extends Omit<AuditEntry, 'path' | 'id' | 'job_id'> {
  readonly seq: number
  readonly old_state: string | null
  readonly new_state: string | null
}

type Writable<T> = { -readonly [F in keyof T]: T[F] }

type LongLine = Writable<EntryLine> & Writable<ChangeFields> & Writable<EntryFields>

/** Fields come in a fixed order: what a person looks for first, first. Written out, since copying objects is felt here. */
export function lineOf(seq: number, entry: AuditEntry, nth: number | undefined): LongLine {
  const { path } = entry
  const last = path.length - 1
  const line: LongLine = {
    seq,
    doc_id: entry.doc_id,
    old_state: path[0] ?? null,
    new_state: path[last] ?? null,
    timestamp: entry.timestamp,
    adapter: entry.adapter,
    error_type: entry.error_type,
    error_message: entry.error_message,
    traceback: entry.traceback,
    retry_count: entry.retry_count,
    max_retries: entry.max_retries,
    duration_seconds: entry.duration_seconds,
    metadata: entry.metadata,
    event: entry.event,
    kind: entry.kind,
    tenant_id: entry.tenant_id,
    actor: entry.actor,
    reason: entry.reason,
  }
  if (entry.kind !== 'document') line.id = entry.id
  if (entry.kind !== 'document' || entry.job_id !== null) line.job_id = entry.job_id
  if (last !== 1) line.path = path
  if (nth !== undefined) line.nth = nth
  return line
}

/** An entry that follows the first one in its line. */
export function fieldsOf(entry: AuditEntry, nth: number | undefined): EntryFields {
  const { seq: _, ...fields } = lineOf(0, entry, nth)
  return fields
}

/** What of a document its entry does not say. */
export function documentFields(
  put: DocumentRecord | undefined,
  entry: AuditEntry,
  created: boolean,
): ChangeFields | null {
  const first = created ? ({ created } as const) : null
  if (put === undefined) return first
  const record: { -readonly [F in keyof DocumentRecord]?: DocumentRecord[F] } = {}
  if (put.updated_at !== entry.timestamp) record.updated_at = put.updated_at
  if (put.adapter !== entry.adapter) record.adapter = put.adapter
  if (put.metadata !== entry.metadata) record.metadata = put.metadata
  if (put.retry_count !== entry.retry_count) record.retry_count = put.retry_count
  if (put.max_retries !== entry.max_retries) record.max_retries = put.max_retries
  if (put.error_type !== entry.error_type) record.error_type = put.error_type
  if (put.error_message !== entry.error_message) record.error_message = put.error_message
  for (const _ in record) return { ...first, record }
  return first
}
