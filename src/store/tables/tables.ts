import type { AloneKind, RecordKey } from '../../core/aggregate.ts'
import type { Claim, ClaimKey, Signal, SlotKey } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { CallersTransaction } from '../inbox.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { Place } from '../place.ts'
import type { FindQuery } from '../query.ts'
import type { BirthRun } from './birth-runs.ts'
import type { StoredCell } from './cell.ts'
import type { About, Chunk, ChunkSelect, ChunkSketch, NewChunk, SketchSelect } from './log-parts.ts'
import type { StrideRun } from './stride-runs.ts'
import type { Basis, Knowing } from './tail/knowing.ts'

/**
 * A database as the engines with tables see it: rows that go in and come out. What is decided on them, and what follows
 * from it for all the rows, is decided once for all of them in this folder.
 *
 * Nothing is locked between `load` and `write`. Every row that is changed says which version of it was read, and a write
 * that finds another one changes nothing and throws `Conflict`: whoever asked reads again and decides again.
 */
export interface Tables extends Partial<Knowing> {
  /** Absent where nobody else can write to the database. */
  readonly inbox?: InboxTable | undefined
  load(wanted: Wanted): Promise<Loaded>
  /** All of it or nothing, durable when it resolves. */
  write(set: WriteSet, onSeen?: OnSeen, basis?: Basis): Promise<Written>
  /** Takes work for itself: nobody else is shown it until the session ends. Reads something else on the way. */
  take(select: TakeWork, also?: Wanted): Promise<TakenWork>

  /** The heads of ready work, as they are. */
  heads(select: ReadySelect): Promise<readonly JobRow[]>
  /** What comes next in groups, as it is: the rows of each. */
  headsAfter(select: NextSelect): Promise<readonly (readonly JobRow[])[]>
  /** Who holds a place under a limit with a row of their own. */
  holders(slots: readonly SlotKey[]): Promise<readonly SlotHolder[]>
  /** The first time at which something is due; 0 when a signal is to be delivered, null when nothing is. */
  nextDue(): Promise<number | null>
  /** Signals that were not delivered yet. */
  pendingSignals(): Promise<number>
  head(): Promise<Head>
  counts(): Promise<readonly CountEntry[]>

  findJobs(query: Find): Promise<readonly JobRow[]>
  findRecords(kind: AloneKind, query: Find): Promise<readonly RecordRow[]>
  /** Steps, by the job that has them. */
  findSteps(query: Find): Promise<readonly FoundStep[]>
  findOutbox(query: Find): Promise<readonly FoundOutbox[]>
  outboxRow(tenant_id: string, outbox_id: string): Promise<FoundOutbox | null>

  /** The parts of the log that tell of these records. */
  chunksAbout(about: About): Promise<readonly number[]>
  chunks(select: ChunkSelect): Promise<readonly Chunk[]>
  sketches(select: SketchSelect): Promise<readonly ChunkSketch[]>
  claims(after: ClaimKey | null, limit: number): Promise<readonly Claim[]>

  /** Removes history that is older, and does what the database wants done now and then. Answers the records removed. */
  maintain(keepFrom: number | null): Promise<number>
  /** Calls back when somebody else has written, and now and then in case that was not heard. */
  onNews(listener: () => void): void
  close(): Promise<void>
}

/**
 * Is called, where a database can do that, when whoever takes work would find what was written, though it is not durable yet:
 * what they write about it becomes durable after it, or with it. Answers whether somebody is about to.
 */
export type OnSeen = () => boolean

/** Somebody else was faster: what was read is not what is there. Everything has to be read and decided again. */
export class Conflict extends Error {}

/** A job with its steps and open outbox rows, in one row. */
export interface JobRow {
  readonly tenant_id: string
  readonly job_id: string
  /** 1 when it is new; grows by one with every change. */
  readonly version: number
  /** The keys of limits under which it holds a place. */
  readonly holds: readonly string[]
  /** The job and its steps as they were when it was new. */
  readonly fixed: string
  /** What differs from that by now, and the outbox rows that are open; null when nothing does. */
  readonly moving: string | null
}

/** A record that is an aggregate by itself. */
export interface RecordRow {
  readonly kind: AloneKind
  readonly tenant_id: string
  readonly id: string
  readonly version: number
  readonly body: string
}

export interface Wanted {
  readonly jobs: readonly RecordKey[]
  readonly records: readonly RecordKey[]
  readonly claims: readonly ClaimKey[]
  readonly slots: readonly SlotKey[]
  readonly refusals: readonly RefusalKey[]
  /** Outbox rows that are closed. */
  readonly rows: readonly { readonly tenant_id: string; readonly id: string }[]
}

export const NOTHING_WANTED: Wanted = { jobs: [], records: [], claims: [], slots: [], refusals: [], rows: [] }

/** What there is; what is not in it is not there. */
export interface Loaded {
  readonly jobs: readonly JobRow[]
  readonly records: readonly RecordRow[]
  /** Aggregates of either kind, by an engine that keeps them otherwise than in such rows. */
  readonly cells?: readonly StoredCell[] | undefined
  readonly claims: readonly Claim[]
  readonly slots: readonly SlotRow[]
  readonly refusals: readonly (RefusalKey & { readonly count: number })[]
  readonly rows: readonly ClosedRow[]
}

export const NOTHING_LOADED: Loaded = { jobs: [], records: [], claims: [], slots: [], refusals: [], rows: [] }

/** One of the records whose refusals are counted. */
export interface RefusalKey {
  readonly tenant_id: string
  readonly kind: RecordKind
  readonly id: string
}

/** How far a limit is used. */
export interface SlotRow extends SlotKey {
  /** Grows with every change of `named`. */
  readonly version: number
  /** Places held by jobs, whose rows say so. */
  readonly counted: number
  /** Places held by others: until a time, or until they are given back. */
  readonly named: readonly Named[]
}

/** Epoch milliseconds; null until it is given back. */
export type Named = readonly [owner: string, until: number | null]

export interface SlotHolder extends SlotKey {
  readonly owner: string
}

/** An outbox row that is closed, and so no part of its job any more. */
export interface ClosedRow {
  readonly tenant_id: string
  readonly outbox_id: string
  readonly job_id: string
  readonly step_id: string
  readonly state: string
  readonly changed_at: number
  readonly body: string
}

/** Everything that one transaction writes. */
export interface WriteSet {
  /** The new job that all of it is about, where it is one that others are like and nothing else. */
  readonly lone?: Birth | undefined
  /** New jobs that are alike, each with its claim and its place among what is ready; none of that is in the lists below. */
  readonly runs: readonly BirthRun[]
  /** Jobs that went the same way, each with what becomes of its place among what is ready, and of its timer; nor is that. */
  readonly strides: readonly StrideRun[]
  readonly newJobs: readonly NewJob[]
  readonly jobs: readonly ChangedJob[]
  readonly records: readonly ChangedRecord[]
  readonly rows: readonly ClosedRow[]
  readonly ready: Changes<ReadyKey>
  readonly due: Changes<DueKey>
  readonly waits: Changes<WaitKey>
  /** Nobody may own them. */
  readonly claims: readonly Claim[]
  readonly slots: readonly SlotWrite[]
  readonly refusals: readonly RefusalWrite[]
  readonly signals: readonly Signal[]
  /** Signals that were delivered. */
  readonly delivered: readonly number[]
  /** What was read and is not written has to be as it was, or absent with version 0, when the write gets its place in the log. */
  readonly verify: readonly (RecordKey & { readonly version: number })[]
  readonly counts: readonly CountEntry[]
  readonly chunk: NewChunk | null
  /** Requests from other transactions that were answered. */
  readonly inbox: readonly InboxDone[]
  /** Epoch milliseconds; the ledger's time never goes back. */
  readonly at: number
  /** It gave somebody something to do, or to see. */
  readonly isNews: boolean
}

export interface Changes<T> {
  readonly adds: readonly T[]
  readonly drops: readonly T[]
}

/** What is there in columns of their own, to be found by. */
interface JobColumns {
  readonly state: string
  /** Epoch milliseconds of the last change. */
  readonly changed_at: number
  readonly is_ended: boolean
  readonly open_rows: number
}

export interface NewJob extends JobRow, JobColumns {
  readonly request_type: string
  readonly protocol_id: string
  readonly doc_id: string | null
  readonly run_id: string | null
  readonly workstream_id: string | null
  /** The chunk tells of it. */
  readonly isTold: boolean
}

export interface ChangedJob extends JobColumns {
  readonly tenant_id: string
  readonly job_id: string
  readonly version: number
  /** The version that was read. */
  readonly from: number
  readonly holds: readonly string[]
  readonly moving: string
  readonly isTold: boolean
}

export interface ChangedRecord extends RecordRow {
  /** The version that was read; 0 when there was none. */
  readonly from: number
  readonly state: string
  readonly changed_at: number
  readonly adapter: string | null
  readonly run_id: string | null
  readonly isTold: boolean
}

export interface ReadyKey {
  readonly queue: string
  readonly tenant_id: string
  readonly group: string
  readonly rank: number
  readonly job_id: string
}

export interface DueKey {
  readonly due_at: number
  readonly tenant_id: string
  readonly job_id: string
}

export interface WaitKey {
  readonly tenant_id: string
  readonly topic: string
  readonly job_id: string
}

export interface SlotWrite extends SlotKey {
  /** Is added to the places held by jobs, if no more than `most` are held before. */
  readonly add: number
  readonly most: number | null
  /** All the others who hold one now, if they changed, and the version that was read; 0 when there was none. */
  readonly named: readonly Named[] | null
  readonly from: number
}

export interface RefusalWrite extends RefusalKey {
  readonly job_id: string | null
  readonly from: number
  readonly count: number
}

interface InboxDone {
  readonly id: number
  /** What is kept with it, as JSON; null when the request is done with, and goes. */
  readonly answer: string | null
}

/** Requests that others put there in transactions of their own. */
export interface InboxTable {
  put(transaction: CallersTransaction, body: string): Promise<void>
  /** The newest that were answered, newest first. */
  answered(
    limit: number,
  ): Promise<readonly { readonly body: string; readonly answer: string; readonly created_at: string }[]>
}

export interface Written {
  /** The last place of the log, and the ledger's time. */
  readonly head: Head
  /** Somebody waited for one of its signals, or may have: it is to be delivered. */
  readonly owes: boolean
  /** How often something was written in place by now, where a database counts that. */
  readonly turn?: number | undefined
}

export interface Head {
  readonly seq: number
  readonly at: number
  readonly records: number
  /** The first place that is still there, less one. */
  readonly removed: number
}

export type TakeWork =
  | ({ readonly what: 'ready' } & ReadySelect)
  | { readonly what: 'due'; readonly limit: number; readonly now: number }
  | { readonly what: 'signalled'; readonly limit: number }
  | { readonly what: 'inbox'; readonly limit: number }

export interface ReadySelect {
  readonly queues: readonly string[]
  readonly perGroup: number
  readonly most?: number | undefined
  /** Only work of these; of all when absent. */
  readonly tenants?: readonly string[] | undefined
}

/** Ready work behind some places, so much of each group. */
export interface NextSelect {
  /** Of a rank that is less than `before`. */
  readonly after: readonly (ReadyKey & { readonly before: number })[]
  readonly each: number
  /** Whatever is written is to be found, also what is not where it is found otherwise. */
  readonly isSettled: boolean
}

/** Work that was taken. It ends with `write` or `release`, whatever happens. */
export interface TakenWork {
  /** In their order, each once. */
  readonly jobs: readonly JobRow[]
  /** Requests that wait for a decision; only of the inbox. */
  readonly requests: readonly { readonly id: number; readonly body: string }[]
  /** What was to be read on the way; it need not be when nothing was taken. */
  readonly also: Loaded
  /** Signals that led to them. */
  readonly delivered: ReadonlyMap<string, readonly number[]>
  load(wanted: Wanted): Promise<Loaded>
  write(set: WriteSet, onSeen?: OnSeen): Promise<Written>
  release(): Promise<void>
}

export interface Find {
  readonly tenant_id: string | undefined
  readonly where: FindQuery['where']
  readonly changedFrom: number | undefined
  readonly changedBefore: number | undefined
  readonly order: 'id' | 'changed'
  readonly isDescending: boolean
  readonly after: Place | null
  readonly limit: number
}

export interface FoundStep {
  readonly job: JobRow
  readonly step_index: number
}

/** A closed row, or the job that has it while it is open. */
export type FoundOutbox =
  | { readonly closed: ClosedRow }
  | { readonly job: JobRow; readonly outbox_id: string }
