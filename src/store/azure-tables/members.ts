// Jobs are found by what they belong to: a row for each in a partition of the run, the workstream or the document, which says
// how it ended once it has.
import { isAtRest } from '../../core/aggregate.ts'
import type { JobRecord } from '../../core/job/record.ts'
import type { RowRef } from './azure-cell.ts'
import { key, part } from './keys.ts'
import type { Columns, Condition } from './service.ts'
import { INDEX } from './table-names.ts'

export const MEMBER_FIELDS = ['run_id', 'workstream_id', 'doc_id'] as const

type MemberField = (typeof MEMBER_FIELDS)[number]

/** What stands for all states of a job that has not ended. */
const OPEN = 'open'

export function membersKey(field: MemberField, tenant_id: string, id: string): string {
  return key('of', field, part(tenant_id), part(id))
}

export interface Member extends RowRef {
  readonly columns: Columns
}

/** Where a job is to be found beside its own id. */
export function membersOf(job: JobRecord): readonly Member[] {
  const { tenant_id, job_id } = job
  const columns = { jobId: job_id, state: isAtRest(job) ? job.state : OPEN }
  return MEMBER_FIELDS.flatMap((field) => {
    const id = job[field]
    return id === null
      ? []
      : [{ table: INDEX, pk: membersKey(field, tenant_id, id), rk: part(job_id), columns }]
  })
}

/** Which of them may be in one of these states. */
export function memberConditions(
  states: readonly string[],
  isOpen: (state: string) => boolean,
): readonly Condition[] {
  return [{ column: 'state', isOneOf: [...new Set(states.map((state) => (isOpen(state) ? OPEN : state)))] }]
}
