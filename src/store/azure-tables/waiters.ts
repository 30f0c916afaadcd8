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

export function waiterRow({ tenant_id, topic }: Signal, job_id: string): NextRow {
  return { rk: key(WAITER, part(job_id)), columns: { tenant_id, jobId: job_id, topic } }
}

export function waiterRef(signal: Signal, job_id: string): RowRef {
  return { ...waitersOf(signal), rk: waiterRow(signal, job_id).rk }
}

export const WAITERS = rangeOf(WAITER)
