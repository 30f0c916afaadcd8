import { idOf, isAtRest, type JobAggregate, type LedgerRecord, type RecordKey } from '../../core/aggregate.ts'
import type { StepRecord } from '../../core/job/record.ts'
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
export function keptJob({ job, steps, outbox }: JobAggregate): Kept {
  const kept = keptRecord(job)
  return { ...kept, etag: Math.max(kept.etag, ...[...steps, ...outbox].map(({ etag }) => Number(etag))) }
}
