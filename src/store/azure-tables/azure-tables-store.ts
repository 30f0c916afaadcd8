import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import type { Claim, ClaimKey, Decision, Given } from '../../core/decision.ts'
import type { DurationRow } from '../../core/durations.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { HOUR_MS, SECOND_MS } from '../../core/time.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import type { Timer } from '../../world/timers.ts'
import type { Capabilities } from '../capabilities.ts'
import type { AuditQuery, DurationsQuery, FindQuery, Page } from '../query.ts'
import type {
  Finding,
  LookAtReady,
  MaintenanceReport,
  NextDueOptions,
  Outcome,
  Store,
  StoreStats,
  Sweep,
  Swept,
  WatchOptions,
} from '../store.ts'
import { NextDue } from '../tables/next-due.ts'
import type { LaneLease } from './ledger-rows.ts'
import type { Wakes } from './line-columns.ts'
import { Loading } from './loading.ts'
import { type Parts, type PartsOptions, partsOf } from './parts.ts'
import { getRecord, loadAggregate } from './reading.ts'

export interface AzureTablesStoreOptions
  extends Omit<PartsOptions, 'onWritten' | 'onLine' | 'onUnknown' | 'onNews' | 'onAbandoned'> {
  readonly keepHistoryMs: number | null
}

/** How often whoever has the ledger open clears up, and looks after those who are not heard of any more. */
const UPKEEP_EVERY_MS = HOUR_MS
const LOOK_EVERY_MS = 30 * SECOND_MS

/** Something that is done again and again. */
interface Upkeep {
  timer: Timer
}

/** A ledger in tables of Azure, which others may write to at the same time. */
export class AzureTablesStore implements Store {
  readonly capabilities: Capabilities = {
    engine: 'azure-tables',
    atomic: 'transaction',
    order: 'per-record',
    watch: 'poll',
    multiProcess: true,
    counts: 'exact',
    findOrders: ['id', 'changed'],
    batch: true,
  }
  readonly #parts: Parts
  readonly #options: AzureTablesStoreOptions
  readonly #due: NextDue
  readonly #busy = new Set<Promise<unknown>>()
  readonly #upkeep: readonly Upkeep[]
  #closing: Promise<void> | null = null

  constructor(options: AzureTablesStoreOptions) {
    this.#options = options
    this.#parts = partsOf({
      ...options,
      onWritten: ({ isNews }) => {
        if (isNews) this.#parts.following.wake()
      },
      onLine: ({ lane, wakes }) => this.#hear(lane, wakes),
      onUnknown: (lane) => this.#hear(lane, null),
      onNews: () => this.#parts.following.wake(),
      onAbandoned: (lease) => this.#lookAfter(lease),
    })
    this.#due = new NextDue(() => this.#parts.index.next())
    this.#upkeep = [
      this.#every(UPKEEP_EVERY_MS, () => this.maintain()),
      this.#every(LOOK_EVERY_MS, () => this.#lookAround()),
    ]
  }

  transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    return this.#during(() => this.#parts.transacting.transact(keys, decide))
  }

  sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    return this.#during(() => this.#parts.sweeping.sweep(selector, decide))
  }

  get<K extends RecordKind>(key: RecordKey<K>): Promise<RecordOf[K] | null> {
    return this.#during(() => getRecord(this.#parts, key))
  }

  load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null> {
    return this.#during(() => loadAggregate(this.#parts, key))
  }

  ownerOf(claim: ClaimKey): Promise<string | null> {
    return this.#during(() => new Loading(this.#parts.loading).ownerOf(claim))
  }

  find<K extends RecordKind>(query: FindQuery<K>): Promise<Page<RecordOf[K]>> {
    return this.#during(() => this.#parts.finding.find(query, this.capabilities))
  }

  audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    return this.#during(() => this.#parts.history.audit(query))
  }

  durations(query: DurationsQuery): Promise<readonly DurationRow[]> {
    return this.#during(() => this.#parts.history.durations(query))
  }

  counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }> {
    return this.#during(async () => (await this.#parts.totals.counts()).read(kind, tenant_id))
  }

  ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    return this.#during(() => this.#parts.sweeping.look(queues, perGroup, look))
  }

  nextDue({ orEarlier = false }: NextDueOptions = {}): Promise<number | null> {
    const { index, engine } = this.#parts
    return this.#during(() => (orEarlier ? this.#due.at(engine.time.now()) : index.next()))
  }

  subscribe(listener: () => void): () => void {
    this.#mustBeOpen()
    return this.#parts.following.subscribe(listener)
  }

  watch(options: WatchOptions = {}): AsyncIterable<AuditRecord> {
    this.#mustBeOpen()
    return this.#parts.following.watch(options)
  }

  async *claims(): AsyncGenerator<Claim> {
    this.#mustBeOpen()
    for await (const claim of this.#parts.claims.all()) yield claim
  }

  async stats(): Promise<StoreStats> {
    return this.#during(async () => {
      const { totals, index } = this.#parts
      const { records, removed } = await totals.records()
      return {
        engine: this.capabilities.engine,
        records: (await totals.counts()).totals(),
        audit_records: records,
        removed_audit_records: removed,
        pending_signals: (await index.signals(1000)).length,
      }
    })
  }

  maintain(): Promise<MaintenanceReport> {
    return this.#during(async () => {
      const { recovering, retiring, engine } = this.#parts
      const { keepHistoryMs } = this.#options
      await recovering.lookAround()
      const removed = keepHistoryMs === null ? 0 : await retiring.retire(engine.time.now() - keepHistoryMs)
      return { compacted: false, removed_audit_records: removed, snapshot: null }
    })
  }

  check(): Promise<readonly Finding[]> {
    return this.#during(() => this.#parts.checking.check())
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    for (const upkeep of this.#upkeep) upkeep.timer.cancel()
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy)
    this.#parts.following.close()
    await this.#parts.news.close()
    try {
      await this.#parts.lanes.close()
    } finally {
      await this.#options.service.close()
    }
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#mustBeOpen()
    const working = work()
    this.#busy.add(working)
    try {
      return await working
    } finally {
      this.#busy.delete(working)
    }
  }

  #mustBeOpen(): void {
    if (this.#closing !== null) throw new LedgerClosed()
  }

  /** Again and again, until it is closed. Should it fail, there is a next time. */
  #every(ms: number, work: () => Promise<unknown>): Upkeep {
    const { timers, logger } = this.#options.world
    const upkeep = { timer: { cancel: () => {} } }
    const later = () => {
      upkeep.timer = timers.after(ms, () => {
        if (this.#closing !== null) return
        work()
          .catch((error: unknown) => logger.debug({ error }, 'The ledger could not be looked after just now'))
          .finally(() => {
            if (this.#closing === null) later()
          })
      })
    }
    later()
    return upkeep
  }

  /** Those who only read now and then leave it to the others. */
  async #lookAround(): Promise<void> {
    const { lanes, following, recovering } = this.#parts
    if (lanes.own !== null || following.isWanted) await this.#during(() => recovering.lookAround())
  }

  /** What somebody left behind whose lane this process has now. */
  #lookAfter(lease: LaneLease): void {
    const recovering = this.#parts.recovering.recoverOwn(lease).catch((error: unknown) => {
      this.#options.world.logger.warn({ error }, 'What a process left behind could not be looked after')
    })
    this.#busy.add(recovering)
    void recovering.finally(() => this.#busy.delete(recovering))
  }

  /** There is something to do, here or elsewhere; what that is may not be known. */
  #hear(lane: number, wakes: Wakes | null): void {
    this.#parts.sweeping.hear(lane, wakes?.queues ?? null)
    if (wakes === null) this.#due.forget()
    else if (wakes.due !== null)
      this.#due.wrote({ due: { adds: [{ due_at: wakes.due }] }, strides: [] }, { owes: wakes.due === 0 })
  }
}
