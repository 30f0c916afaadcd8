// Jobs are found by what they belong to: a row for each in a partition of the run, the workstream or the document.
import type { JobRecord } from '../../core/job/record.ts'
import type { RowRef } from './azure-cell.ts'
import { key, part } from './keys.ts'
import { INDEX } from './table-names.ts'

export const MEMBER_FIELDS = ['run_id', 'workstream_id', 'doc_id'] as const

export type MemberField = (typeof MEMBER_FIELDS)[number]

export function membersKey(field: MemberField, tenant_id: string, id: string): string {
  return key('of', field, part(tenant_id), part(id))
}

export interface Member extends RowRef {
  readonly jobId: string
}

/** Where a job is to be found beside its own id. */
export function memberRefs(job: JobRecord): readonly Member[] {
  const { tenant_id, job_id } = job
  return MEMBER_FIELDS.flatMap((field) => {
    const id = job[field]
    return id === null
      ? []
      : [{ table: INDEX, pk: membersKey(field, tenant_id, id), rk: part(job_id), jobId: job_id }]
  })
}
