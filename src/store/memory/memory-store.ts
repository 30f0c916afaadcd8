import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../core/aggregate.ts'
import { type AuditEntry, type AuditRecord, isQuiet, REFUSALS_KEPT_PER_RECORD } from '../../core/audit.ts'
import { type Claim, type ClaimKey, type Decision, type Given, isNothing } from '../../core/decision.ts'
import { DurationRollup, type DurationRow } from '../../core/durations.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { must } from '../../core/must.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import type { World } from '../../world/world.ts'
import type { Capabilities } from '../capabilities.ts'
import { checkRecords } from '../check-records.ts'
import { pageOf } from '../live/find-records.ts'
import { decideOn } from '../live/live-given.ts'
import { LiveState } from '../live/live-state.ts'
import { TwoKeys } from '../live/two-keys.ts'
import {
  type AuditQuery,
  type DurationsQuery,
  type FindQuery,
  findOrder,
  matchesAudit,
  matchesDurations,
  type Page,
  pageSize,
} from '../query.ts'
import type {
  Finding,
  LookAtReady,
  MaintenanceReport,
  Outcome,
  Store,
  StoreStats,
  Sweep,
  Swept,
  WatchOptions,
} from '../store.ts'
import { Watchers } from '../watchers.ts'
import { MemoryLog } from './memory-log.ts'

/** Rides in the process and ends with it. The reference that every other engine is compared with. */
export class MemoryStore implements Store {
  readonly capabilities: Capabilities = {
    engine: 'memory',
    atomic: 'transaction',
    order: 'total',
    watch: 'push',
    multiProcess: false,
    counts: 'exact',
    findOrders: ['id', 'changed'],
    batch: true,
  }

  readonly #world: World
  readonly #freezes: boolean
  readonly #live = new LiveState()
  readonly #log = new MemoryLog()
  readonly #watchers = new Watchers(this.#log)
  readonly #refusals = new TwoKeys<number>()
  #now = 0
  #commits = 0
  #hasNews = false
  #closed = false

  /** Records are handed out as they are kept, so they are frozen; a test that plants a fault in one needs them soft. */
  constructor(world: World, { freezes = true }: { readonly freezes?: boolean } = {}) {
    this.#world = world
    this.#freezes = freezes
  }

  async transact<A>(_keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    this.#mustBeOpen()
    const outcome = this.#commit(decide)
    this.#tell()
    return outcome
  }

  async sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    this.#mustBeOpen()
    try {
      return this.#select(selector).map((key) => {
        const outcome = this.#commit((given) => decide(key, given))
        // Not before: a decision that throws leaves the signal to be delivered again.
        if (selector.what === 'signalled') this.#live.signals.told(key)
        return { key, outcome }
      })
    } finally {
      this.#tell()
    }
  }

  async get<K extends RecordKind>(key: RecordKey<K>): Promise<RecordOf[K] | null> {
    this.#mustBeOpen()
    return this.#live.record(key)
  }

  async load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null> {
    this.#mustBeOpen()
    return this.#live.aggregate(key.kind, key.tenant_id, key.id)
  }

  async ownerOf(claim: ClaimKey): Promise<string | null> {
    this.#mustBeOpen()
    return this.#live.ownerOf(claim) ?? null
  }

  async find<K extends RecordKind>(query: FindQuery<K>): Promise<Page<RecordOf[K]>> {
    this.#mustBeOpen()
    const order = findOrder(query, this.capabilities)
    return pageOf([this.#live.listings.find(query, order)], query)
  }

  async audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    this.#mustBeOpen()
    const size = pageSize(query.limit)
    const items: AuditRecord[] = []
    for (const record of this.#read(query)) {
      if (!matchesAudit(record, query)) continue
      if (items.length === size) return { items, next: (items[size - 1] as AuditRecord).cursor }
      items.push(record)
    }
    return { items, next: null }
  }

  async durations(query: DurationsQuery): Promise<readonly DurationRow[]> {
    this.#mustBeOpen()
    const rollup = new DurationRollup()
    for (const record of this.#log.after(0)) if (matchesDurations(record, query)) rollup.add(record)
    return rollup.rows(query)
  }

  async counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }> {
    this.#mustBeOpen()
    return this.#live.counts.read(kind, tenant_id)
  }

  async ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    this.#mustBeOpen()
    return look(this.#live.work.heads({ queues, perGroup }), this.#live.viewAt(this.#time()))
  }

  async nextDue(): Promise<number | null> {
    this.#mustBeOpen()
    return this.#live.nextDue()
  }

  subscribe(listener: () => void): () => void {
    this.#mustBeOpen()
    return this.#watchers.onNews(listener)
  }

  watch(options: WatchOptions = {}): AsyncIterable<AuditRecord> {
    this.#mustBeOpen()
    return this.#watchers.watch(options)
  }

  async *claims(): AsyncGenerator<Claim> {
    this.#mustBeOpen()
    for (const [tenant_id, key, owner] of this.#live.devices.claims.entries()) yield { tenant_id, key, owner }
  }

  async stats(): Promise<StoreStats> {
    this.#mustBeOpen()
    return {
      engine: this.capabilities.engine,
      records: this.#live.counts.totals(),
      audit_records: this.#log.lastSeq,
      removed_audit_records: 0,
      pending_signals: this.#live.signals.pending,
    }
  }

  /** Nothing to compact: what is here is all there is. */
  async maintain(): Promise<MaintenanceReport> {
    this.#mustBeOpen()
    return { compacted: false, removed_audit_records: 0, snapshot: null }
  }

  async check(): Promise<readonly Finding[]> {
    this.#mustBeOpen()
    return checkRecords({
      // All at once: whoever writes meanwhile could be as fast as whoever looks.
      records: (kind) => [...this.#live.records(kind)],
      counts: (kind) => this.#live.counts.read(kind),
      history: (after) => this.#log.after(after),
      lastSeq: () => this.#log.lastSeq,
      isCompared: () => true,
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watchers.close()
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new LedgerClosed()
  }

  #commit<A>(decide: (given: Given) => Decision<A>): Outcome<A> {
    const decision = decideOn(this.#live, this.#time(), this.#world.ids, decide)
    must(decision.kind !== 'need', 'in memory everything is loaded')
    if (decision.kind === 'refusal') {
      if (decision.audit !== null) this.#appendCapped(decision.audit)
      return { ok: false, refusal: decision.refusal }
    }
    this.#commits++
    if (!isNothing(decision.change)) this.#hasNews = true
    this.#live.apply(decision.change, String(this.#commits))
    if (this.#freezes) for (const put of decision.change.puts) Object.freeze(put)
    for (const entry of decision.change.audit) {
      if (isQuiet(entry.event)) {
        this.#appendCapped(entry)
        continue
      }
      this.#log.append(entry)
      this.#hasNews = true
    }
    return { ok: true, answer: decision.answer }
  }

  /** Whoever asks and finds nothing to do must not wake everybody, least of all themselves. */
  #tell(): void {
    if (!this.#hasNews) return
    this.#hasNews = false
    this.#watchers.wake()
  }

  #select(selector: Sweep): readonly RecordKey[] {
    switch (selector.what) {
      case 'due':
        return this.#live.work.due(this.#time(), selector.limit)
      case 'signalled':
        return this.#live.signals.page(selector.limit, (signal) =>
          this.#live.work.waiting(signal.tenant_id, signal.topic),
        )
      case 'ready': {
        const heads = this.#live.work.heads(selector)
        return selector.pick(heads, this.#live.viewAt(this.#time())).map((head) => head.key)
      }
    }
  }

  /** Never goes back, whatever the clock does. */
  #time(): number {
    this.#now = Math.max(this.#now, this.#world.clock.now())
    return this.#now
  }

  #appendCapped(entry: AuditEntry): void {
    const name = `${entry.kind}\n${entry.id}`
    const kept = this.#refusals.get(entry.tenant_id, name) ?? 0
    if (kept >= REFUSALS_KEPT_PER_RECORD) return
    this.#refusals.set(entry.tenant_id, name, kept + 1)
    this.#log.append(entry)
    this.#hasNews = true
  }

  #read(query: AuditQuery): Iterable<AuditRecord> {
    const place = query.after === undefined ? undefined : this.#log.placeOf(query.after)
    return query.direction === 'desc'
      ? this.#log.before(place ?? Number.POSITIVE_INFINITY)
      : this.#log.after(place ?? 0)
  }
}
