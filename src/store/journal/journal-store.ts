import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import { type Claim, type ClaimKey, change, type Decision, type Given } from '../../core/decision.ts'
import type { DurationRow } from '../../core/durations.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import { LedgerReadOnly } from '../../errors/journal-errors.ts'
import type { Clock } from '../../world/clock.ts'
import type { Capabilities } from '../capabilities.ts'
import type { ProgressOptions } from '../progress.ts'
import type { AuditQuery, DurationsQuery, FindQuery, Page } from '../query.ts'
import type {
  Decided,
  Finding,
  LookAtReady,
  MaintenanceReport,
  Outcome,
  ServerNotice,
  Store,
  StoreStats,
  SubscribeOptions,
  Sweep,
  Swept,
  WatchOptions,
} from '../store.ts'
import { Watchers } from '../watchers.ts'
import { checkJournal } from './check-journal.ts'
import type { JournalReader } from './journal-reader.ts'
import {
  auditEverywhere,
  claimsEverywhere,
  durationsEverywhere,
  findEverywhere,
  getRecord,
  loadAggregate,
  ownerOfClaim,
  recordsAfter,
} from './journal-reads.ts'
import type { JournalWriter } from './journal-writer.ts'
import type { OpenJournal } from './open-journal.ts'
import { placeIn } from './segments/history.ts'

/** Who has the folder open: the one writer, or a reader. */
export type Access =
  | { readonly writer: JournalWriter; readonly journal: OpenJournal }
  | { readonly reader: JournalReader }

/** A ledger in a folder. */
export class JournalStore implements Store {
  readonly capabilities: Capabilities
  readonly watchers: Watchers
  readonly #clock: Clock
  #access: Access | null = null
  #closing: Promise<void> | null = null

  constructor(readOnly: boolean, clock: Clock) {
    this.#clock = clock
    this.capabilities = {
      engine: 'journal',
      atomic: 'transaction',
      order: 'total',
      watch: readOnly ? 'poll' : 'push',
      multiProcess: false,
      counts: 'exact',
      findOrders: ['id', 'changed'],
      batch: true,
    }
    const store = this
    this.watchers = new Watchers({
      get lastSeq() {
        return store.journal.lastSeq
      },
      placeOf: (cursor) => placeIn(store.journal.history, cursor),
      after: (seq) => recordsAfter(store, seq),
    })
  }

  /** It can be used from now on. */
  begin(access: Access): this {
    this.#access = access
    return this
  }

  get journal(): OpenJournal {
    const access = this.#open
    return 'writer' in access ? access.journal : access.reader.journal
  }

  transact<A>(_keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    try {
      return this.#writer.transact(decide)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  decideNow<A>(decide: (given: Given) => Decision<A>): Decided<A> | null {
    return this.#writer.decideNow(decide)
  }

  async sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    return this.#writer.sweep(selector, decide)
  }

  async get<K extends RecordKind>(key: RecordKey<K>): Promise<RecordOf[K] | null> {
    await this.#fresh()
    return getRecord(this, key)
  }

  async load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null> {
    await this.#fresh()
    return loadAggregate(this, key)
  }

  async ownerOf(claim: ClaimKey): Promise<string | null> {
    const access = this.#open
    if ('reader' in access) {
      await access.reader.refresh()
      return ownerOfClaim(this, claim)
    }
    // Asked as a decision asks: then it is not answered before what it rests on is durable.
    const asked = await access.writer.transact((given) => change(given.ownerOf(claim) ?? null, {}))
    return asked.ok ? asked.answer : null
  }

  async find<K extends RecordKind>(query: FindQuery<K>): Promise<Page<RecordOf[K]>> {
    await this.#fresh()
    return findEverywhere(this, query, this.capabilities)
  }

  async audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    await this.#fresh()
    return auditEverywhere(this, query)
  }

  async durations(query: DurationsQuery): Promise<readonly DurationRow[]> {
    await this.#fresh()
    return durationsEverywhere(this, query)
  }

  async counts(kind: RecordKind, tenant_id?: string): Promise<{ readonly [state: string]: number }> {
    return (await this.#fresh()).image.live.counts.read(kind, tenant_id)
  }

  async ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    const { live } = (await this.#fresh()).image
    return look(live.work.heads({ queues, perGroup }), live.viewAt(this.#time()))
  }

  async nextDue(): Promise<number | null> {
    return (await this.#fresh()).image.live.nextDue()
  }

  /** Whoever only reads polls, so it may hear of things late, but hears of them. */
  subscribe(listener: () => void, { takesWork = false }: SubscribeOptions = {}): () => void {
    const access = this.#open
    if ('reader' in access) access.reader.poll()
    const unsubscribe = this.watchers.onNews(listener)
    if (!takesWork || 'reader' in access) return unsubscribe
    const leave = access.writer.takers.add(listener)
    return () => {
      unsubscribe()
      leave()
    }
  }

  watch(options: WatchOptions = {}): AsyncIterable<AuditRecord> {
    if ('reader' in this.#open) this.#open.reader.poll()
    return this.watchers.watch(options)
  }

  async *claims(): AsyncGenerator<Claim> {
    await this.#fresh()
    yield* claimsEverywhere(this)
  }

  async stats(): Promise<StoreStats> {
    const journal = await this.#fresh()
    const { live, base } = journal.image
    return {
      engine: this.capabilities.engine,
      records: live.counts.totals(),
      audit_records: journal.auditRecords,
      removed_audit_records: journal.removedRecords,
      pending_signals: live.signals.pending,
      storage: {
        delta_bytes: journal.deltaBytes,
        snapshot: base === null ? null : { seq: base.head.seq, created_at: base.head.created_at },
        segments: journal.segments.length,
        damage: journal.damage?.message ?? null,
      },
    }
  }

  async maintain(options: ProgressOptions = {}): Promise<MaintenanceReport> {
    return this.#writer.maintain(options)
  }

  async check(options: ProgressOptions = {}): Promise<readonly Finding[]> {
    await this.#fresh()
    const access = this.#open
    const check = () => checkJournal(this, this.capabilities, options)
    return 'writer' in access ? access.writer.whileFilesStay(check) : check()
  }

  /** One that is open for reading has nothing to announce: it is not in anybody's way. */
  async announce(notice: ServerNotice | null): Promise<void> {
    const access = this.#open
    if ('writer' in access) await access.writer.announce(notice)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** What is there is read again when somebody else may have changed it. */
  async refresh(): Promise<void> {
    const access = this.#open
    if ('reader' in access) await access.reader.refresh()
  }

  async #close(): Promise<void> {
    const access = this.#access
    this.#access = null
    this.watchers.close()
    if (access === null) return
    if ('writer' in access) await access.writer.close()
    else await access.reader.close()
  }

  async #fresh(): Promise<OpenJournal> {
    if ('reader' in this.#open) await this.refresh()
    return this.journal
  }

  get #open(): Access {
    if (this.#access === null) throw new LedgerClosed()
    return this.#access
  }

  /** Of one who writes it never goes back: what is held until a time must not be held again. */
  #time(): number {
    const access = this.#open
    return 'writer' in access ? access.writer.time() : this.#clock.now()
  }

  get #writer(): JournalWriter {
    const access = this.#open
    if ('writer' in access) return access.writer
    const { damage, place } = access.reader.journal
    throw damage ?? new LedgerReadOnly(place.folder)
  }
}
