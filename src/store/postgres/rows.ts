// Rows as they come from the server, and as the rest of the engine knows them.
import type { JobRow } from '../tables/tables.ts'

export type RawJob = Omit<JobRow, 'holds'> & { readonly holds: readonly string[] | null }

/** What the job `j` was when it was new: in a table of its own, so that no change has to copy it. */
export const fixedOf = (s: string) =>
  `(SELECT b.fixed FROM ${s}.born b WHERE b.tenant_id = j.tenant_id AND b.job_id = j.job_id)`

/** Columns of the job `j`. @param s the schema, quoted */
export const jobColumns = (s: string) =>
  `j.tenant_id, j.job_id, j.version, j.holds, ${fixedOf(s)} AS fixed, j.moving`

const NONE: readonly string[] = Object.freeze([])

export function jobOf({ tenant_id, job_id, version, holds, fixed, moving }: RawJob): JobRow {
  return { tenant_id, job_id, version, holds: holds ?? NONE, fixed, moving }
}

export const RECORD_COLUMNS = 'r.kind, r.tenant_id, r.id, r.version, r.body'

export const CLOSED_COLUMNS = 'o.tenant_id, o.outbox_id, o.job_id, o.step_id, o.state, o.changed_at, o.body'
