import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import type { Claim, ClaimKey, Decision, Given } from '../core/decision.ts'
import type { DurationRow } from '../core/durations.ts'
import type { RecordKind } from '../core/machines/all.ts'
import type { ReadyHead, WorkView } from '../core/pick.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Capabilities } from './capabilities.ts'
import type { Inbox } from './inbox.ts'
import type { ProgressOptions } from './progress.ts'
import type { AuditQuery, Cursor, DurationsQuery, FindQuery, Page } from './query.ts'

/**
 * A store keeps records of eight kinds and their history. It holds no rules: it loads aggregates, calls the decision
 * it was given, and writes what comes back. What every engine promises:
 *
 * - `transact` and `sweep` resolve only when the change is durable; many calls in flight share one write.
 * - A decision may be called several times before it is written: after `need`, after a claim or slot was answered
 *   otherwise, after a lost race. It has to be pure.
 * - Records in `puts` get their new etag in place, so an answer that carries one carries its etag.
 * - Decisions see what is pending, readers only what is durable. A write that fails takes back all that was
 *   pending and rejects every caller concerned.
 * - A refusal or an ignored message changes no record and no etag; at most `REFUSALS_KEPT_PER_RECORD`
 *   of all that did not move it are kept.
 * - The slots of a change are taken and released in their order. Nothing is refused, and no slot is called full,
 *   on the strength of an `ownerOf` that was not looked up yet: a repeated request is answered before any limit.
 * - A signal is delivered at least once to everything that waits for its topic when it is written, also when the
 *   decision that it led to was never written. One that nobody waits for may be dropped at once.
 * - Cursors stay good for as long as the records do, also when the store is opened again.
 */
export interface Store {
  readonly capabilities: Capabilities
  /** Requests from transactions of the caller's own; absent where an engine has none. */
  readonly inbox?: Inbox | undefined

  /** Loads these aggregates, decides once, writes all of it or nothing. */
  transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>>

  /**
   * The same at once, where a store need not load anything for it: what was decided, and what to wait for until it is durable. Null
   * when that cannot be, and then nothing was done. Absent where it never can.
   */
  decideNow?<A>(decide: (given: Given) => Decision<A>): Decided<A> | null

  /** Selects aggregates that have something to do, each once, and decides on each by itself. */
  sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]>

  get<K extends RecordKind>(key: RecordKey<K>): Promise<RecordOf[K] | null>
  load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null>
  /** Who owns a claim; null when nobody does. */
  ownerOf(claim: ClaimKey): Promise<string | null>
  find<K extends RecordKind>(query: FindQuery<K>): Promise<Page<RecordOf[K]>>
  audit(query: AuditQuery): Promise<Page<AuditRecord>>
  /**
   * How long records stayed in the states that they left: a row for each kind, state and adapter, sorted by them.
   * Counts, means and maxima are exact to the millisecond, quantiles within one in a hundred.
   */
  durations(query: DurationsQuery): Promise<readonly DurationRow[]>
  /** How many records of a kind are in each state; states without any may be left out. */
  counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }>
  /** Looks at the heads of each group of ready work as a sweep would, without taking any. */
  ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T>
  /**
   * When there is next something due or signalled, in epoch milliseconds; null when there is nothing to wait for.
   * Signals that were not delivered yet are due at once: the answer is then 0.
   */
  nextDue(options?: NextDueOptions): Promise<number | null>
  /**
   * Calls back after changes became durable that may have made something ready, due or signalled, or given back what a
   * limit holds: too often perhaps, never too seldom. Where several processes write, what others did counts as well.
   * Answers how to stop it.
   */
  subscribe(listener: () => void, options?: SubscribeOptions): () => void
  /** The history after a cursor, then what happens, as it becomes durable: nothing skipped, nothing twice. */
  watch(options?: WatchOptions): AsyncIterable<AuditRecord>
  /** Every claim that is durable, at least once, in no order: what else a copy needs beside records and history. */
  claims(): AsyncIterable<Claim>

  stats(): Promise<StoreStats>

  /**
   * Tells programs of the same user where a server answers for this ledger, or, with null, that none does any more. Absent
   * where they can open it themselves beside the server.
   */
  announce?(notice: ServerNotice | null): Promise<void>

  /** Compaction and retention. */
  maintain(options?: ProgressOptions): Promise<MaintenanceReport>
  /** Looks for damage and contradictions; an empty list is good news. */
  check(options?: ProgressOptions): Promise<readonly Finding[]>
  /** Finishes what is pending, ends every `watch`; closing twice is harmless. */
  close(): Promise<void>
}

export type Sweep =
  /**
   * Ready work: the store shows up to `perGroup` heads of each group, `pick` chooses. There may be thousands of groups: with
   * `most` a store need not show more than about so many in all, but always one of each group. With `tenants` there are no
   * groups but theirs.
   */
  | {
      readonly what: 'ready'
      readonly queues: readonly string[]
      readonly perGroup: number
      readonly most?: number
      readonly tenants?: readonly string[] | undefined
      readonly pick: LookAtReady<readonly ReadyHead[]>
    }
  /** Work whose time has come, the longest overdue first. */
  | { readonly what: 'due'; readonly limit: number }
  /** Work that was signalled. */
  | { readonly what: 'signalled'; readonly limit: number }

/** Is shown ready work and what bears on it, as of one moment. */
export type LookAtReady<T> = (heads: readonly ReadyHead[], view: WorkView) => T

export type Outcome<A> =
  | { readonly ok: true; readonly answer: A }
  | { readonly ok: false; readonly refusal: Refusal }

/** What was decided, and what to wait for until it is durable; null when it is. */
export interface Decided<A> {
  readonly outcome: Outcome<A>
  readonly durable: Promise<void> | null
}

export interface Swept<A> {
  readonly key: RecordKey
  readonly outcome: Outcome<A>
}

export interface SubscribeOptions {
  /**
   * The listener takes what is ready. A store may then call it before the change is durable that made something so, and let
   * a sweep take it at once: both become durable together, or neither does.
   */
  readonly takesWork?: boolean | undefined
}

export interface WatchOptions {
  /** Only what comes after it; from the very beginning with `START`; from the call on when absent. */
  readonly after?: Cursor | undefined
  readonly tenant_id?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The cursor before everything. */
export const START: Cursor = '0'

export interface StoreStats {
  readonly engine: string
  readonly records: { readonly [K in RecordKind]: number }
  readonly audit_records: number
  /** How much of the log was removed because it was past its time. */
  readonly removed_audit_records: number
  readonly pending_signals: number
  /** Where engines keep files. */
  readonly storage?: StorageStats
}

export interface StorageStats {
  /** Written since the last snapshot, and read when the ledger is opened. */
  readonly delta_bytes: number
  readonly snapshot: { readonly seq: number; readonly created_at: string } | null
  /** Sealed parts of the history. */
  readonly segments: number
  /** What is wrong, when the ledger can only be read. */
  readonly damage: string | null
}

export interface MaintenanceReport {
  readonly compacted: boolean
  readonly removed_audit_records: number
  /** The newest there is now; null where engines make none. */
  readonly snapshot: SnapshotReport | null
}

export interface SnapshotReport {
  readonly path: string
  readonly seq: number
  readonly created_at: string
  readonly document_count: number
  readonly bytes: number
}

export interface Finding {
  readonly where: string
  readonly what: string
  /** Bytes are not what they were; else what they say contradicts itself. */
  readonly damage?: true
}

/** Where a server answers, and what lets programs of whoever runs it in. */
export interface ServerNotice {
  readonly server: string
  /** Good for as long as the server runs. It is told to nobody else, and is part of no error. */
  readonly secret: string
}

export interface NextDueOptions {
  /** An earlier time will do, at which nothing may be due any more: where a database has to be asked, that is cheaper. */
  readonly orEarlier?: boolean | undefined
}
