// An engine that differs from memory in every way the contract allows: it answers late, loads only what it is asked
// for, calls decisions more often than it needs to, learns of claims only when they are refused, gives every record
// an etag of its own, leaves gaps in the log, polls, and outlives its handles. The suite has to accept it.
import assert from 'node:assert/strict'
import type { AggregateKind, RecordKey } from '../../src/core/aggregate.ts'
import type { AuditRecord } from '../../src/core/audit.ts'
import { type Accepted, type ClaimKey, type Decision, type Given, refuse } from '../../src/core/decision.ts'
import type { RecordKind } from '../../src/core/machines/all.ts'
import type { Refusal } from '../../src/core/refusal.ts'
import { BadCursor, LedgerClosed } from '../../src/errors/input-errors.ts'
import type { Capabilities } from '../../src/store/capabilities.ts'
import {
  type AuditQuery,
  type Cursor,
  type DurationsQuery,
  type FindQuery,
  findOrder,
  type Page,
} from '../../src/store/query.ts'
import {
  type LookAtReady,
  type Outcome,
  START,
  type Store,
  type Sweep,
  type Swept,
  type WatchOptions,
} from '../../src/store/store.ts'
import { Facade } from './facade.ts'

const POLL_MS = 2
const PLACES_PER_RECORD = 3
const AGAIN: Refusal = { code: 'NOT_FOUND', message: 'Not loaded', next: 'Load it, ask again.', details: {} }

/** What several handles share, and what is still there when the last of them is closed. */
export class LazyBacking {
  readonly store: Store
  readonly owed: RecordKey[] = []
  etags = 0

  constructor(store: Store) {
    this.store = store
  }
}

export class LazyStore extends Facade {
  readonly #capabilities: Capabilities
  readonly #backing: LazyBacking
  readonly #end = new AbortController()
  readonly #pending = new Set<Promise<unknown>>()

  constructor(backing: LazyBacking, declares: Partial<Capabilities> = {}) {
    super(backing.store)
    this.#backing = backing
    this.#capabilities = { ...backing.store.capabilities, watch: 'poll', multiProcess: true, ...declares }
  }

  override get capabilities(): Capabilities {
    return this.#capabilities
  }

  override async transact<A>(
    keys: readonly RecordKey[],
    decide: (given: Given) => Decision<A>,
  ): Promise<Outcome<A>> {
    this.#mustBeOpen()
    const working = this.#transact(keys, decide)
    this.#pending.add(working)
    try {
      return await working
    } finally {
      this.#pending.delete(working)
    }
  }

  /** Selects first and decides afterwards: in between, others may have been faster. */
  override async sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    this.#mustBeOpen()
    await late()
    const swept: Swept<A>[] = []
    for (const key of await this.#select(selector)) {
      const outcome = await this.transact([key], (given) => decide(key, given))
      swept.push({ key, outcome })
      const owed = this.#backing.owed.findIndex((other) => nameOf(other) === nameOf(key))
      if (selector.what === 'signalled' && owed !== -1) this.#backing.owed.splice(owed, 1)
    }
    return swept
  }

  override get<K extends RecordKind>(key: RecordKey<K>) {
    return this.#read(() => super.get(key))
  }

  override load<K extends AggregateKind>(key: RecordKey<K>) {
    return this.#read(() => super.load(key))
  }

  override ownerOf(claim: ClaimKey) {
    return this.#read(() => super.ownerOf(claim))
  }

  override find<K extends RecordKind>(query: FindQuery<K>) {
    return this.#read(() => {
      findOrder(query, this.capabilities)
      return super.find(query)
    })
  }

  override audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    return this.#read(async () => {
      const after = query.after === undefined ? undefined : inward(query.after)
      const { items, next } = await super.audit({ ...query, after })
      return { items: items.map(outward), next: next === null ? null : outwardCursor(Number(next)) }
    })
  }

  override durations(query: DurationsQuery) {
    return this.#read(() => super.durations(query))
  }

  override counts(kind: RecordKind, tenant_id?: string) {
    return this.#read(() => super.counts(kind, tenant_id))
  }

  override ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>) {
    return this.#read(() =>
      super.ready(queues, perGroup, (heads, view) => look(heads.toReversed().toSorted(byRankOnly), view)),
    )
  }

  override nextDue() {
    return this.#read(async () => (this.#backing.owed.length > 0 ? 0 : super.nextDue()))
  }

  /** Tells late, and twice. */
  override subscribe(listener: () => void): () => void {
    this.#mustBeOpen()
    const over = new AbortController()
    const tell = () => {
      if (!over.signal.aborted && !this.#end.signal.aborted) listener()
    }
    const stop = super.subscribe(() => void late().then(tell).then(late).then(tell))
    return () => {
      over.abort()
      stop()
    }
  }

  override stats() {
    return this.#read(async () => {
      const stats = await super.stats()
      return { ...stats, pending_signals: stats.pending_signals + this.#backing.owed.length }
    })
  }

  override maintain() {
    return this.#read(() => super.maintain())
  }

  override check() {
    return this.#read(() => super.check())
  }

  override async *watch({ after, tenant_id, signal }: WatchOptions = {}): AsyncGenerator<AuditRecord> {
    this.#mustBeOpen()
    const over = AbortSignal.any([this.#end.signal, ...(signal === undefined ? [] : [signal])])
    let place = after === undefined ? await this.#lastPlace() : inward(after)
    while (!over.aborted) {
      const { items } = await this.inner.audit({ after: place, limit: 2 })
      for (const record of items) {
        place = record.cursor
        if (tenant_id === undefined || record.tenant_id === tenant_id) yield outward(record)
        if (over.aborted) return
      }
      if (items.length === 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  override async close(): Promise<void> {
    this.#end.abort()
    await Promise.allSettled(this.#pending)
  }

  async #transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    const loaded = new Set(keys.map(nameOf))
    for (;;) {
      await late()
      const asking = new Asking(loaded, decide)
      const written = this.inner.transact([], (given) => asking.ask(given))
      // Nobody else gets a turn before this: the store in memory has already written.
      if (asking.accepted !== null) this.#stamp(asking.accepted)
      const outcome = await written
      if (!asking.needsMore) return outcome
    }
  }

  #stamp({ change }: Accepted<unknown>): void {
    for (const put of change.puts) put.etag = `W/"${this.#backing.etags++}"`
  }

  async #select(selector: Sweep): Promise<readonly RecordKey[]> {
    const { owed } = this.#backing
    if (selector.what === 'signalled' && owed.length >= selector.limit) return owed.slice(0, selector.limit)
    const keys: RecordKey[] = []
    await this.inner.sweep(selector, (key) => {
      keys.push(key)
      return refuse(AGAIN)
    })
    if (selector.what !== 'signalled') return keys
    owed.push(...keys.filter((key) => !owed.some((other) => nameOf(other) === nameOf(key))))
    return owed.slice(0, selector.limit)
  }

  async #lastPlace(): Promise<Cursor> {
    const { items } = await this.inner.audit({ direction: 'desc', limit: 1 })
    return items[0]?.cursor ?? START
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    this.#mustBeOpen()
    await late()
    return structuredClone(await read())
  }

  #mustBeOpen(): void {
    if (this.#end.signal.aborted) throw new LedgerClosed()
  }
}

/** One round of asking a decision, with as little told as the contract allows. */
class Asking<A> {
  readonly #loaded: Set<string>
  readonly #decide: (given: Given) => Decision<A>
  readonly #knownClaims = new Set<string>()
  /** Claims that the decision believes to be free, because nobody has looked yet. */
  #hidden: ClaimKey[] = []
  accepted: Accepted<A> | null = null
  needsMore = false

  constructor(loaded: Set<string>, decide: (given: Given) => Decision<A>) {
    this.#loaded = loaded
    this.#decide = decide
  }

  ask(given: Given): Decision<A> {
    for (;;) {
      this.accepted = null
      this.#hidden = []
      this.#decide(this.#shown(given))
      const decision = this.#decide(this.#shown(given))
      if (decision.kind === 'need') return this.#load(decision.keys)
      const unsure = this.#hidden.filter((claim) => given.ownerOf(claim) !== undefined)
      if (unsure.length === 0) {
        if (decision.kind === 'change') this.accepted = decision
        return decision
      }
      for (const claim of unsure) this.#knownClaims.add(claimName(claim))
    }
  }

  #shown(given: Given): Given {
    return {
      now: given.now,
      ids: given.ids,
      get: (kind, tenant_id, id) =>
        this.#loaded.has(nameOf({ kind, tenant_id, id })) ? given.get(kind, tenant_id, id) : undefined,
      ownerOf: (claim) => {
        if (this.#knownClaims.has(claimName(claim))) return given.ownerOf(claim)
        this.#hidden.push(claim)
        return undefined
      },
      isFull: (slot) => given.isFull(slot),
    }
  }

  #load(keys: readonly RecordKey[]): Decision<never> {
    const missing = keys.filter((key) => !this.#loaded.has(nameOf(key)))
    assert(missing.length > 0, 'a decision asks for something that it does not have')
    for (const key of missing) this.#loaded.add(nameOf(key))
    this.needsMore = true
    return refuse(AGAIN)
  }
}

function claimName({ tenant_id, key }: ClaimKey): string {
  return `${tenant_id}\n${key}`
}

function late(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function nameOf({ kind, tenant_id, id }: RecordKey<RecordKind>): string {
  return `${kind}\n${tenant_id}\n${id}`
}

function byRankOnly(a: { ready: { rank: number } }, b: { ready: { rank: number } }): number {
  return a.ready.rank - b.ready.rank
}

function outward(record: AuditRecord): AuditRecord {
  return { ...record, seq: record.seq * PLACES_PER_RECORD, cursor: outwardCursor(record.seq) }
}

function outwardCursor(seq: number): Cursor {
  return `place-${seq}`
}

function inward(cursor: Cursor): Cursor {
  if (cursor === START) return START
  const place = /^place-(\d+)$/.exec(cursor)?.[1]
  if (place === undefined) throw new BadCursor(cursor)
  return place
}
