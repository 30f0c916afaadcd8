import type { NewJob, ReadyKey } from './tables.ts'

// Rows of jobs that were submitted alike: a database that is told so once has less to do for each.

/** They differ in nothing but their names, and in what is written of them. */
export function isLike(a: NewJob, b: NewJob): boolean {
  return (
    a.holds === b.holds &&
    a.changed_at === b.changed_at &&
    a.state === b.state &&
    a.tenant_id === b.tenant_id &&
    a.version === b.version &&
    a.is_ended === b.is_ended &&
    a.open_rows === b.open_rows &&
    a.request_type === b.request_type &&
    a.protocol_id === b.protocol_id &&
    a.doc_id === b.doc_id &&
    a.run_id === b.run_id &&
    a.workstream_id === b.workstream_id &&
    a.isTold === b.isTold &&
    a.moving === b.moving
  )
}

/** They stand in one place of a queue. */
export function isBeside(a: ReadyKey, b: ReadyKey): boolean {
  return a.rank === b.rank && a.queue === b.queue && a.group === b.group && a.tenant_id === b.tenant_id
}
