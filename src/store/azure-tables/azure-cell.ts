import type { AloneKind, RecordKey } from '../../core/aggregate.ts'
import type { AuditEntry } from '../../core/audit.ts'
import type { OutboxRecord, StepRecord } from '../../core/job/record.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { StoredCell } from '../tables/cell.ts'
import type { RefusalKey } from '../tables/tables.ts'
import { key, part } from './keys.ts'
import type { Member } from './members.ts'
import type { Columns } from './service.ts'
import { STEPS, TABLE_OF } from './table-names.ts'

/** Where a row is. */
export interface RowRef {
  readonly table: string
  readonly pk: string
  readonly rk: string
}

/**
 * An aggregate, and the row that decides over it: of a job the first in its partition of `Steps`, of anything else its
 * only one. Whoever writes that row has changed the aggregate; everything else follows from what it says.
 */
export interface AzureCell extends StoredCell {
  readonly ref: RowRef
  /** Of the row; null when there is none. One without an aggregate may be there all the same: somebody waits for it. */
  readonly etag: string | null
  readonly meta: CellMeta
  /** The line that finished the change which wrote it last, where that is known. */
  readonly receipt: Receipt | null
}

/** A line of a lane, and its time. */
interface LinePlace {
  readonly lane: number
  readonly seq: number
  readonly at: number
}

export interface Receipt extends LinePlace {
  readonly jobs?: JobsEtags | undefined
}

/** The etags of rows in `Jobs`, by the partitions of their jobs. */
export interface JobsEtags {
  readonly [pk: string]: string
}

export interface CellMeta {
  /** The last place in the history that was given out for it. */
  readonly seq: number
  /** The change that made it. */
  readonly birth: string | null
  /** The change that wrote it last, if it was the one that decided over it. */
  readonly last: LastChange | null
  /** The line that tells of the change which wrote it last, if that was decided by another row. */
  readonly line: LinePlace | null
  /** What was told of it and is not in `Events` yet. */
  readonly log: readonly Logged[]
  /** Jobs wait for something to become of it: their rows are in its partition. */
  readonly hasWaiters: boolean
  /** It is part of a change that is decided elsewhere. */
  readonly lock: CellLock | null
  /** Of the record, when the row was written since without it; else that of the row. */
  readonly recordEtag: string | null
  readonly job: JobMeta | null
}

/** What is kept with a job beside its records. */
export interface JobMeta {
  /** Its partition in `Jobs`. */
  readonly jobsPk: string
  /** Of its row there, as far as it is known. */
  readonly jobsEtag: string | null
  /** Where it is noted as something to do. */
  readonly index: IndexPlaces
  /** The places that it holds under limits. */
  readonly slots: readonly SlotPlace[]
  /** Steps that were too many for one write: their rows follow. */
  readonly late: readonly StepRecord[]
}

export interface IndexPlaces {
  readonly lane: number
  readonly ready: string | null
  readonly due: string | null
}

export const NOWHERE: IndexPlaces = { lane: 0, ready: null, due: null }

export interface SlotPlace {
  readonly key: string
  readonly pk: string
  readonly rk: string
  readonly etag: string
}

export type Logged = readonly [seq: number, entry: AuditEntry]

/**
 * A change that this row decided. Its receipt is a line in a lane of the log, after the place `from`: until it is there,
 * some of what is owed may not have been done.
 */
export interface LastChange {
  readonly id: string
  readonly lane: number
  readonly from: number
  readonly owed: Owed
}

/** What has to follow once a change is decided. All of it can be done twice. */
export interface Owed {
  /** Epoch milliseconds of the change. */
  readonly at: number
  /** What it tells of others than the cell that decided it. */
  readonly told: readonly Logged[]
  /** How many of the entries in its own log are of this change. */
  readonly own: number
  /** Where each of its entries comes, its own first; null when that is their order. */
  readonly order: readonly number[] | null
  readonly counts: readonly CountEntry[]
  readonly touched: readonly Touched[]
  /** Outbox rows that were closed. */
  readonly closed: readonly OutboxRecord[]
  /** Rows of the index that are no longer true. */
  readonly drops: readonly IndexRow[]
  /** Rows to be removed, each only while it has its etag. */
  readonly releases: readonly (RowRef & { readonly etag: string | null })[]
  /** Rows that were put there for the case that it would be decided, and that nothing else tells to be right. */
  readonly confirms: readonly RowRef[]
  /** Places under limits that go from one holder to another. */
  readonly handovers: readonly Handover[]
  /** How many refusals of a record there are by now. */
  readonly refusals: readonly (RefusalKey & { readonly count: number })[]
  /** Where a job that is new is to be found by what it belongs to. */
  readonly members: readonly Member[]
  readonly signals: readonly OwedSignal[]
  /** Cells that are changed with it, and locked until it is done. */
  readonly others: readonly RowRef[]
  /** Receipts that it rests on: the last place of each lane. */
  readonly after: LanePlaces
  /** Epoch milliseconds of the last of these lines: its own has a later time, whoever writes it. */
  readonly afterAt: number
}

export interface Handover extends RowRef {
  readonly from: string
  readonly columns: Columns
}

export interface IndexRow {
  readonly lane: number
  readonly rk: string
}

/** Places in the lanes of the log. */
export type LanePlaces = { readonly [lane: string]: number }

export type Touched = readonly [kind: string, tenant_id: string, id: string, state: string, at: number]

interface OwedSignal {
  readonly tenant_id: string
  readonly topic: string
  /** The partition that has the rows of those who wait. */
  readonly table: string
  readonly pk: string
}

export interface CellLock {
  readonly change: string
  /** The row that decides. */
  readonly by: RowRef
  readonly at: number
  /** The rows of its partition as they are to be; none where it only has to stay as it is. */
  readonly next: readonly { readonly rk: string; readonly columns: Columns }[]
}

/** The row key of a job's deciding row: it sorts before its steps. */
export const JOB_ROW = '!job'

/** What the rows of those who wait begin with: they sort after the steps. */
export const WAITER = 'w'

export function refOf({ kind, tenant_id, id }: RecordKey): RowRef {
  const pk = key(part(tenant_id), part(id))
  return kind === 'job'
    ? { table: STEPS, pk, rk: JOB_ROW }
    : { table: TABLE_OF[kind as AloneKind], pk, rk: kind }
}

export function sameRow(a: RowRef, b: RowRef): boolean {
  return a.pk === b.pk && a.rk === b.rk && a.table === b.table
}

export function nameOfRow({ table, pk, rk }: RowRef): string {
  return `${table}\n${pk}\n${rk}`
}

export const NEW_META: CellMeta = {
  seq: 0,
  birth: null,
  last: null,
  line: null,
  log: [],
  hasWaiters: false,
  lock: null,
  recordEtag: null,
  job: null,
}

/** There is no row at all. */
export function noCell({ kind, tenant_id, id }: RecordKey): AzureCell {
  return {
    key: { kind, tenant_id, id },
    ref: refOf({ kind, tenant_id, id }),
    aggregate: null,
    version: 0,
    holds: [],
    born: null,
    etag: null,
    meta: NEW_META,
    receipt: null,
  }
}

/** The aggregate, with the etag that its row in `Jobs` got after it was decided. */
export function withJobsEtag(cell: AzureCell, jobsEtag: string | undefined): AzureCell {
  if (jobsEtag === undefined || cell.meta.job === null) return cell
  return { ...cell, meta: { ...cell.meta, job: { ...cell.meta.job, jobsEtag } } }
}
