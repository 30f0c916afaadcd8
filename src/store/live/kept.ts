import { idOf, isAtRest, type JobAggregate, type LedgerRecord, type RecordKey } from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import type { StepRecord } from '../../core/job/record.ts'
import { type Alike, isAlike } from '../../core/job/stride.ts'
import type { RecordKind } from '../../core/machines/all.ts'

/** Something in memory: when it was last touched, and whether it moves at all. */
export interface Kept {
  readonly key: RecordKey<Exclude<RecordKind, 'step'>>
  readonly etag: number
  readonly isAtRest: boolean
}

export function keptRecord(record: Exclude<LedgerRecord, StepRecord>): Kept {
  const key = { kind: record.kind, tenant_id: record.tenant_id, id: idOf(record) }
  return { key, etag: Number(record.etag), isAtRest: isAtRest(record) }
}

/** It was touched when any of its parts was. */
export function keptJob(aggregate: JobAggregate): Kept {
  if (isAlike(aggregate)) return keptAlike(aggregate)
  const { job, steps, outbox } = aggregate
  const kept = keptRecord(job)
  return { ...kept, etag: Math.max(kept.etag, ...[...steps, ...outbox].map(({ etag }) => Number(etag))) }
}

/** Nobody makes its records for that: there may be very many of them, and all of them are looked at. */
function keptAlike(alike: Alike): Kept {
  const { tenant_id, job_id: id, etag } = alike
  const { job } = alike instanceof Birth ? alike.form : alike.leg
  return { key: { kind: 'job', tenant_id, id }, etag: Number(etag), isAtRest: isAtRest(job) }
}
