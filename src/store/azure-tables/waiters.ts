// Who waits for what. The rows of jobs that wait are in the partition of whatever they wait for, whose own row says that
// there are some: so whoever changes it knows, and whoever begins to wait knows that it has not changed.
import type { RecordKey } from '../../core/aggregate.ts'
import type { Signal } from '../../core/decision.ts'
import { subjectOf } from '../../core/topic-subject.ts'
import { type RowRef, refOf, WAITER } from './azure-cell.ts'
import type { NextRow } from './cell-rows.ts'
import { key, part, rangeOf } from './keys.ts'
import { INDEX } from './table-names.ts'

/** The record whose changes signal the topic; null when it is nobody's. */
export function subjectKey({ tenant_id, topic }: Signal): RecordKey | null {
  const subject = subjectOf(topic)
  return subject === null ? null : { ...subject, tenant_id }
}

/** The partition that has the rows of those who wait for it. */
export function waitersOf(signal: Signal): Pick<RowRef, 'table' | 'pk'> {
  const subject = subjectKey(signal)
  if (subject === null) return { table: INDEX, pk: key('wait', part(signal.tenant_id), part(signal.topic)) }
  const { table, pk } = refOf(subject)
  return { table, pk }
}

/** The change with which it begins to wait, and the row that decides over that. */
export interface BeginsBy {
  readonly change: string
  readonly by: RowRef
}

export function waiterRow({ tenant_id, topic }: Signal, job_id: string, { change, by }: BeginsBy): NextRow {
  const rk = waiterKey(job_id)
  return { rk, columns: { tenant_id, jobId: job_id, topic, change, by: JSON.stringify(by) } }
}

function waiterKey(job_id: string): string {
  return key(WAITER, part(job_id))
}

export function waiterRef(signal: Signal, job_id: string): RowRef {
  return { ...waitersOf(signal), rk: waiterKey(job_id) }
}

export const WAITERS = rangeOf(WAITER)
