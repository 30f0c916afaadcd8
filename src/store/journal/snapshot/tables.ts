import type { DocumentRecord } from '../../../core/document/record.ts'
import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import type { QueueRecord } from '../../../core/queue/record.ts'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import type { TokenRecord } from '../../../core/token/record.ts'

/** What a snapshot holds, by the name it has there, in the order in which it stands there. */
export interface ValueOf {
  readonly states: DocumentRecord
  readonly jobs: JobRecord
  readonly steps: StepRecord
  readonly outbox: OutboxRecord
  readonly runs: RunRecord
  readonly workstreams: WorkstreamRecord
  readonly queues: QueueRecord
  readonly schedules: ScheduleRecord
  readonly tokens: TokenRecord
  /** Who owns the claim. */
  readonly claims: string
  /** How many refusals were kept; the id is `kind/id`. */
  readonly refusals: number
}

export type TableName = keyof ValueOf

/** Where records of a kind are. */
export const TABLE_OF = {
  document: 'states',
  job: 'jobs',
  step: 'steps',
  outbox: 'outbox',
  run: 'runs',
  workstream: 'workstreams',
  queue: 'queues',
  schedule: 'schedules',
  token: 'tokens',
} as const satisfies { readonly [K in RecordKind]: TableName }

export type RecordTable = (typeof TABLE_OF)[RecordKind]

export const RECORD_TABLES: readonly RecordTable[] = Object.values(TABLE_OF)

export const TABLES: readonly TableName[] = [...RECORD_TABLES, 'claims', 'refusals']

export function isRecordTable(table: TableName): table is RecordTable {
  return table !== 'claims' && table !== 'refusals'
}

/** A value with its address. */
export interface Found<T extends TableName> {
  readonly tenant_id: string
  readonly id: string
  readonly value: ValueOf[T]
}
