import type { DocumentRecord } from './document/record.ts'
import type { RunRecord } from './group/run-record.ts'
import type { WorkstreamRecord } from './group/workstream-record.ts'
import type { JobRecord, OutboxRecord, StepRecord } from './job/record.ts'
import { isTerminal, type Machine } from './machine.ts'
import { machines, type RecordKind } from './machines/all.ts'
import { outboxMachine } from './machines/outbox.ts'
import { present } from './must.ts'
import type { QueueRecord } from './queue/record.ts'
import type { ScheduleRecord } from './schedule/record.ts'
import type { TokenRecord } from './token/record.ts'

export type LedgerRecord =
  | DocumentRecord
  | JobRecord
  | StepRecord
  | OutboxRecord
  | RunRecord
  | WorkstreamRecord
  | QueueRecord
  | ScheduleRecord
  | TokenRecord

export type RecordOf = {
  readonly document: DocumentRecord
  readonly job: JobRecord
  readonly step: StepRecord
  readonly outbox: OutboxRecord
  readonly run: RunRecord
  readonly workstream: WorkstreamRecord
  readonly queue: QueueRecord
  readonly schedule: ScheduleRecord
  readonly token: TokenRecord
}

/** Records that are loaded, decided on and written with their job. */
export type JobPart = JobRecord | StepRecord | OutboxRecord
export type AloneRecord = Exclude<LedgerRecord, JobPart>

/** A job moves together with its steps and the outbox rows that are still open. */
export interface JobAggregate {
  readonly job: JobRecord
  readonly steps: readonly StepRecord[]
  readonly outbox: readonly OutboxRecord[]
}

/** What is loaded, decided on and written as one. */
export type AggregateOf = {
  readonly document: DocumentRecord
  readonly job: JobAggregate
  readonly run: RunRecord
  readonly workstream: WorkstreamRecord
  readonly queue: QueueRecord
  readonly schedule: ScheduleRecord
  readonly token: TokenRecord
}

export type AggregateKind = keyof AggregateOf

/** Records that are an aggregate by themselves. */
export type AloneKind = Exclude<AggregateKind, 'job'>

export const ALONE_KINDS = [
  'document',
  'run',
  'workstream',
  'queue',
  'schedule',
  'token',
] as const satisfies readonly AloneKind[]

export interface RecordKey<K extends RecordKind = AggregateKind> {
  readonly kind: K
  readonly tenant_id: string
  readonly id: string
  /** Somebody made the id up just now: a store need not look whether there is one, as long as it notices if there is. */
  readonly isFresh?: boolean | undefined
}

/** Different for different keys. */
export function nameOfKey({ kind, tenant_id, id }: RecordKey): string {
  return `${kind}\n${tenant_id}\n${id}`
}

export function idOf(record: LedgerRecord): string {
  switch (record.kind) {
    case 'document':
      return record.doc_id
    case 'job':
      return record.job_id
    case 'step':
      return stepKey(record.job_id, record.step_id)
    case 'outbox':
      return record.outbox_id
    case 'run':
      return record.run_id
    case 'workstream':
      return record.workstream_id
    case 'queue':
      return record.queue
    case 'schedule':
      return record.schedule_id
    case 'token':
      return record.token_id
  }
}

export function isJobPart(record: LedgerRecord): record is JobPart {
  return isPartKind(record.kind)
}

export function isPartKind(kind: RecordKind): kind is JobPart['kind'] {
  return kind === 'job' || kind === 'step' || kind === 'outbox'
}

/** The key of the aggregate that a record belongs to. */
export function aggregateKey(record: LedgerRecord): RecordKey {
  const { tenant_id } = record
  return isJobPart(record)
    ? { kind: 'job', tenant_id, id: record.job_id }
    : { kind: record.kind, tenant_id, id: idOf(record) }
}

/** Steps are named within their job; across the ledger a step's id is `job/step`. */
export function stepKey(job_id: string, step_id: string): string {
  return `${job_id}/${step_id}`
}

/** Nothing will change it any more, or only somebody who asks for it by name. A step rests when its job does. */
export function isAtRest(record: Exclude<LedgerRecord, StepRecord>): boolean {
  return isTerminal(machines[record.kind] as Machine<string>, record.state)
}

export function isOpenRow(row: OutboxRecord): boolean {
  return !isTerminal(outboxMachine, row.state)
}

/** The order in which every change has the records of a job: wherever it is cut off, what is there makes sense. */
export function placeInChange({ kind }: LedgerRecord): number {
  return PLACES[kind] ?? PLACES.job + 1
}

const PLACES: { readonly [kind in RecordKind]?: number } & { readonly job: number } = {
  step: 0,
  outbox: 1,
  job: 2,
}

const NO_ROWS: readonly OutboxRecord[] = Object.freeze([])

/** A list that grows takes room for many, and this one is kept for as long as the job is. */
function countSteps(puts: readonly LedgerRecord[]): number {
  let count = 0
  for (const put of puts) if (put.kind === 'step') count = Math.max(count, put.step_index + 1)
  return count
}

/** The job aggregate after a commit: changed records replaced, closed outbox rows gone from it. */
export function applyToJob(before: JobAggregate | null, puts: readonly LedgerRecord[]): JobAggregate {
  let job = before?.job
  const steps = before === null ? new Array<StepRecord>(countSteps(puts)) : before.steps.slice()
  let outbox = before?.outbox ?? NO_ROWS
  for (const put of puts) {
    if (put.kind === 'job') job = put
    else if (put.kind === 'step') steps[put.step_index] = put
    else if (put.kind === 'outbox') {
      outbox = outbox.filter((row) => row.outbox_id !== put.outbox_id)
      if (isOpenRow(put)) outbox = [...outbox, put]
    }
  }
  return { job: present(job, 'a job aggregate has its job'), steps, outbox }
}
