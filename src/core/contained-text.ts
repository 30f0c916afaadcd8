import type { RecordOf } from './aggregate.ts'
import type { AuditRecord } from './audit.ts'

/** Says of texts whether one of them contains what somebody looks for, in capitals or not. */
export type Contains = (texts: readonly (string | null)[]) => boolean

export function containing(q: string): Contains {
  const wanted = q.toLowerCase()
  return (texts) => texts.some((text) => text?.toLowerCase().includes(wanted) === true)
}

/** Records that people look for by a part of their names. */
export type SearchedKind = 'job' | 'document' | 'run' | 'workstream'

/** What a record is found by. */
export const TEXTS_OF: {
  readonly [K in SearchedKind]: (record: RecordOf[K]) => readonly (string | null)[]
} = {
  job: (job) => [
    job.job_id,
    job.doc_id,
    job.request_type,
    job.protocol_id,
    job.pipeline_name,
    job.correlation_id,
    ...job.tags,
  ],
  document: ({ doc_id, adapter, error_type, error_message }) => [doc_id, adapter, error_type, error_message],
  run: ({ run_id }) => [run_id],
  workstream: ({ workstream_id, run_id }) => [workstream_id, run_id],
}

/** What a part of the history is found by. */
export function textsOfAudit(record: AuditRecord): readonly (string | null)[] {
  const { id, job_id, doc_id, actor, adapter, error_type, error_message, reason } = record
  return [id, job_id, doc_id, actor, adapter, error_type, error_message, reason]
}
