import type { AloneRecord, JobAggregate, JobPart } from '../../core/aggregate.ts'
import type { SlotHolders } from './slot-holders.ts'
import { WorkPlace } from './work-index.ts'

/** An aggregate in memory: as it is, and as it was decided to become while that is not durable yet. */
export interface Cell<T> {
  durable: T | null
  decided: T | null
}

/** One that has a place and nothing else is of a job that is kept elsewhere. */
export class JobCell extends WorkPlace implements Cell<JobAggregate> {
  durable: JobAggregate | null = null
  decided: JobAggregate | null = null
  /** The places of which it has one, without anybody else knowing which job that is. */
  holds: SlotHolders | null = null
}

/** What a change makes of one aggregate. */
export type Move = AloneMove | JobMove

export interface AloneMove {
  readonly cell: Cell<AloneRecord>
  readonly before: AloneRecord | null
  readonly to: AloneRecord
  readonly parts: null
}

export interface JobMove {
  readonly cell: JobCell
  readonly before: JobAggregate | null
  readonly to: JobAggregate
  /** The records of the job that changed. */
  readonly parts: readonly JobPart[]
}
