import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import type { Claim, ClaimKey, Decision, Given, IdSource } from '../../core/decision.ts'
import type { DurationRow } from '../../core/durations.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { HOUR_MS } from '../../core/time.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import type { Clock } from '../../world/clock.ts'
import type { Timer } from '../../world/timers.ts'
import type { World } from '../../world/world.ts'
import type { Capabilities } from '../capabilities.ts'
import { Followers } from '../followers.ts'
import { StateCounts } from '../live/state-counts.ts'
import { oldestOpenJob } from '../oldest-open-job.ts'
import type { AuditQuery, DurationsQuery, FindQuery, Page } from '../query.ts'
import type {
  Finding,
  LookAtReady,
  MaintenanceReport,
  NextDueOptions,
  Outcome,
  Store,
  StoreStats,
  SubscribeOptions,
  Sweep,
  Swept,
  WatchOptions,
} from '../store.ts'
import { Watchers } from '../watchers.ts'
import { TableInbox } from './admission.ts'
import { checkTables } from './check-tables.ts'
import { GroupWrite } from './group-write.ts'
import { KnownWork } from './known-work.ts'
import { Memory } from './memory.ts'
import { NextDue } from './next-due.ts'
import { OwnPlaces } from './own-places.ts'
import { ReadBirths } from './read-births.ts'
import { Shelf } from './shelf.ts'
import { headsOf, lookAt } from './shown-view.ts'
import { sweepTables } from './sweeps.ts'
import { TableLog } from './table-log.ts'
import { findIn, getRecord, loadAggregate, ownerIn } from './table-reads.ts'
import type { Head, Tables, WriteSet, Written } from './tables.ts'
import type { Part, TailDriver } from './tail/tail.ts'
import { TailedTables } from './tail/tailed-tables.ts'
import { Workspace } from './workspace.ts'
import type { Writing } from './writing.ts'

export interface TableStoreOptions {
  readonly engine: string
  readonly watch: Capabilities['watch']
  readonly tables: Tables | TailDriver
  /** Writes of a process before it is worth its while to know what there is. */
  readonly writesInPlace?: number | undefined
  readonly ready?: ReadyLimits | undefined
  readonly world: World
  /** The time that counts: where there are many machines, the database's. */
  readonly clock: Clock
  /** How long the history is kept, in milliseconds; for ever when null. */
  readonly keepHistoryMs: number | null
}

const CLAIMS_AT_ONCE = 1000

/** Ready work: how much of it is kept in mind at most, and how much is read at once. */
interface ReadyLimits {
  readonly kept: number
  readonly read: number
}

const READY_LIMITS: ReadyLimits = { kept: 100_000, read: 2000 }

/** How often whoever has the ledger open clears up: what is past its time goes, what will be needed is made. */
const UPKEEP_EVERY_MS = HOUR_MS

/** A ledger in the tables of a database, which others may write to at the same time. */
export class TableStore implements Store {
  readonly capabilities: Capabilities
  readonly inbox: TableInbox | undefined
  readonly #tables: Tables
  readonly #clock: Clock
  readonly #ids: IdSource
  readonly #keepHistoryMs: number | null
  readonly #memory: Memory
  readonly #births = new ReadBirths()
  readonly #shelf: Shelf
  readonly #own: OwnPlaces
  readonly #log: TableLog
  readonly #watchers: Watchers
  /** Who takes work, also before it is durable. */
  readonly #takers = new Followers()
  readonly #group: GroupWrite
  readonly #known: KnownWork
  readonly #writing: Writing
  readonly #due: NextDue
  readonly #busy = new Set<Promise<unknown>>()
  #now: number
  #upkeep: Timer
  #closing: Promise<void> | null = null

  private constructor(options: TableStoreOptions, tables: Tables, head: Head) {
    const { engine, watch, world, clock } = options
    this.capabilities = {
      engine,
      atomic: 'transaction',
      order: 'total',
      watch,
      multiProcess: true,
      counts: 'exact',
      findOrders: ['id', 'changed'],
      batch: true,
    }
    this.#tables = tables
    this.#clock = clock
    this.#ids = world.ids
    this.#keepHistoryMs = options.keepHistoryMs
    this.#now = head.at
    this.#own = new OwnPlaces(head.seq)
    const orEarlier = () => tables.nextDueOrEarlier?.() ?? tables.nextDue()
    this.#due = new NextDue(() => tables.nextDue(), orEarlier)
    this.#log = new TableLog(tables, head)
    this.#watchers = new Watchers(this.#log)
    const { ids, timers, random } = world
    const time = () => this.#time()
    const onWritten: Writing['onWritten'] = (...written) => this.#wrote(...written)
    const onSeen: Writing['onSeen'] = (set) => this.#saw(set)
    const onFailed = () => this.#forget()
    const ready = options.ready ?? READY_LIMITS
    const shelf = new Shelf(head.seq === 0, clock.now(), ready.kept)
    this.#shelf = shelf
    const memory = new Memory(shelf)
    this.#memory = memory
    const births = this.#births
    this.#writing = { tables, memory, shelf, births, ids, timers, random, time, onSeen, onWritten, onFailed }
    this.#group = new GroupWrite(this.#writing, this.#takers)
    this.#known = new KnownWork(this.#writing, this.#group, ready.read)
    this.inbox = tables.inbox === undefined ? undefined : new TableInbox(tables.inbox, this.#writing)
    tables.onNews(() => void this.#hear())
    tables.onKnowing?.({ begins: () => this.#begins(), others: (parts) => this.#others(parts) })
    this.#upkeep = this.#clearUpLater(world)
  }

  static async on(options: TableStoreOptions): Promise<TableStore> {
    const { tables: driver, world, writesInPlace } = options
    const { timers, clock } = world
    const tables = 'tail' in driver ? new TailedTables(driver, { timers, clock, writesInPlace }) : driver
    return new TableStore(options, tables, await tables.head())
  }

  /** Not async: this is the way of every change. */
  transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    if (this.#closing !== null) return Promise.reject(new LedgerClosed())
    return this.#group.add(keys, decide)
  }

  async sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    this.#mustBeOpen()
    const sweeping = this.#sweep(selector, decide)
    this.#busy.add(sweeping)
    try {
      return await sweeping
    } finally {
      this.#busy.delete(sweeping)
    }
  }

  /** What this process knows to be ready need not be looked for. */
  async #sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    const taken = selector.what === 'ready' ? await this.#known.take(selector, decide) : null
    return taken ?? sweepTables(this.#writing, selector, decide)
  }

  async get<K extends RecordKind>(key: RecordKey<K>): Promise<RecordOf[K] | null> {
    this.#mustBeOpen()
    await this.#tables.current?.()
    return getRecord(this.#tables, key)
  }

  async load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null> {
    this.#mustBeOpen()
    await this.#tables.current?.()
    return loadAggregate(this.#tables, key)
  }

  async ownerOf(claim: ClaimKey): Promise<string | null> {
    this.#mustBeOpen()
    await this.#tables.current?.()
    return ownerIn(this.#tables, claim)
  }

  async find<K extends RecordKind>(query: FindQuery<K>): Promise<Page<RecordOf[K]>> {
    this.#mustBeOpen()
    return findIn(this.#tables, query, this.capabilities)
  }

  async audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    this.#mustBeOpen()
    return this.#log.audit(query)
  }

  async durations(query: DurationsQuery): Promise<readonly DurationRow[]> {
    this.#mustBeOpen()
    return this.#log.durations(query)
  }

  async counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }> {
    this.#mustBeOpen()
    return (await this.#counts()).read(kind, tenant_id)
  }

  async ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    this.#mustBeOpen()
    const rows = await this.#tables.heads({ queues: [...new Set(queues)], perGroup })
    const space = new Workspace({ now: this.#time(), ids: this.#ids, remembered: null })
    space.knowJobs(rows)
    const load = this.#tables.load.bind(this.#tables)
    const holders = this.#tables.holders.bind(this.#tables)
    return lookAt({ space, heads: headsOf(space, rows, queues), load, holders }, look)
  }

  async nextDue({ orEarlier = false }: NextDueOptions = {}): Promise<number | null> {
    this.#mustBeOpen()
    return orEarlier ? this.#due.at(this.#time()) : this.#tables.nextDue()
  }

  subscribe(listener: () => void, { takesWork = false }: SubscribeOptions = {}): () => void {
    this.#mustBeOpen()
    return takesWork ? this.#takers.add(listener) : this.#watchers.onNews(listener)
  }

  watch(options: WatchOptions = {}): AsyncIterable<AuditRecord> {
    this.#mustBeOpen()
    return this.#watchers.watch(options)
  }

  async *claims(): AsyncGenerator<Claim> {
    this.#mustBeOpen()
    for (let after: Claim | null = null; ; ) {
      const some: readonly Claim[] = await this.#tables.claims(after, CLAIMS_AT_ONCE)
      yield* some
      if (some.length < CLAIMS_AT_ONCE) return
      after = some.at(-1) as Claim
    }
  }

  async stats(): Promise<StoreStats> {
    this.#mustBeOpen()
    const counts = await this.#counts()
    const { records, removed } = await this.#tables.head()
    return {
      engine: this.capabilities.engine,
      records: counts.totals(),
      audit_records: records,
      removed_audit_records: removed,
      pending_signals: await this.#tables.pendingSignals(),
    }
  }

  async maintain(): Promise<MaintenanceReport> {
    this.#mustBeOpen()
    const removed = await this.#tables.maintain(await this.#keepFrom())
    return { compacted: false, removed_audit_records: removed, snapshot: null }
  }

  /** History is removed by age, but never that of a job that is open. */
  async #keepFrom(): Promise<number | null> {
    if (this.#keepHistoryMs === null) return null
    return Math.min(this.#time() - this.#keepHistoryMs, await oldestOpenJob(this))
  }

  async check(): Promise<readonly Finding[]> {
    this.#mustBeOpen()
    return checkTables(this.#tables, this.#log, () => this.#counts())
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#upkeep.cancel()
    await this.#group.idle()
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy)
    this.#watchers.close()
    this.#takers.close()
    await this.#tables.close()
  }

  #clearUpLater(world: World): Timer {
    return world.timers.after(UPKEEP_EVERY_MS, () => {
      const clearing = this.maintain().catch((error: unknown) => {
        // Whoever may not change tables leaves it to those who may; and there is a next time.
        world.logger.debug({ error }, 'The ledger could not be cleared up just now')
      })
      this.#busy.add(clearing)
      void clearing.finally(() => {
        this.#busy.delete(clearing)
        if (this.#closing === null) this.#upkeep = this.#clearUpLater(world)
      })
    })
  }

  async #counts(): Promise<StateCounts> {
    const counts = new StateCounts()
    for (const { tenant_id, kind, state, n } of await this.#tables.counts())
      counts.add(tenant_id, kind, state, n)
    return counts
  }

  #mustBeOpen(): void {
    if (this.#closing !== null) throw new LedgerClosed()
  }

  /** Never goes back, whatever the clock does, and whoever wrote last. */
  #time(): number {
    this.#now = Math.max(this.#now, this.#clock.now())
    return this.#now
  }

  #saw(set: WriteSet): boolean {
    if (!mayBeTaken(set)) return false
    this.#takers.wake()
    return this.#takers.hasListeners && set.ready.adds.length + set.runs.length > 0
  }

  #wrote(written: Written, set: WriteSet, isSeen: boolean): void {
    const { head } = written
    if (!this.#own.wrote(head.seq, set.chunk?.places ?? 0)) this.#forget()
    this.#now = Math.max(this.#now, head.at)
    this.#log.reached(head)
    this.#due.wrote(set, written)
    if (set.isNews) this.#watchers.wake()
    if (!isSeen && mayBeTaken(set)) this.#takers.wake()
  }

  /** What is known may be so no longer. */
  #forget(): void {
    this.#due.forget()
    this.#shelf.forget()
    this.#memory.forgetQueues()
  }

  /** Nothing counts that was known of jobs and records before. */
  #begins(): void {
    this.#memory.clear()
    this.#shelf.forgetJobs()
  }

  /** Others have written these, and nothing else. */
  #others(parts: readonly Part[]): void {
    for (const { set, first_seq } of parts) {
      const born = set.newJobs.map((row) => this.#births.of(row))
      this.#memory.othersWrote(set)
      this.#shelf.othersWrote(set, born)
      const seq = first_seq + (set.chunk?.places ?? 0) - 1
      const { records, removed } = this.#log.head
      const head = {
        seq,
        at: Math.max(this.#now, set.at),
        records: records + (set.chunk?.places ?? 0),
        removed,
      }
      this.#now = head.at
      this.#own.reached(seq)
      this.#log.reached(head)
      this.#due.wrote(set, { owes: false })
    }
    this.#watchers.wake()
    this.#takers.wake()
  }

  /** Somebody else has written. */
  async #hear(): Promise<void> {
    if (this.#closing !== null) return
    this.#forget()
    try {
      await this.#log.refresh()
      this.#own.reached(this.#log.head.seq)
      this.#now = Math.max(this.#now, this.#log.head.at)
    } catch {
      // Whoever looks next is told what is wrong.
    }
    this.#watchers.wake()
    this.#takers.wake()
  }
}

/** There is more to take, or what holds it up may have changed: a limit, or a record, as that of a queue. */
function mayBeTaken({ runs, strides, ready, slots, records }: WriteSet): boolean {
  return (
    runs.length + strides.length + ready.adds.length + ready.drops.length + slots.length + records.length > 0
  )
}
