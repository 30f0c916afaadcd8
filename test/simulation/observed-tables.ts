import { AsyncLocalStorage } from 'node:async_hooks'
import { nameOfKey, type RecordKey } from '../../src/core/aggregate.ts'
import type { AuditEntry } from '../../src/core/audit.ts'
import type { Change, Decision, Given, IdSource } from '../../src/core/decision.ts'
import type { Store, Sweep } from '../../src/store/store.ts'
import type { TakenWork, TakeWork, Wanted, WriteSet, Written } from '../../src/store/tables/tables.ts'
import type { Mark, Tail } from '../../src/store/tables/tail/tail.ts'
import { Facade } from '../conformance/facade.ts'
import { MemoryDatabase } from '../tables/memory-database.ts'
import { MemoryTables } from '../tables/memory-tables.ts'
import { law } from './law-broken.ts'
import { SentRecords } from './sent-records.ts'
import type { Commit } from './shadow.ts'

/** A database that says what was written to it, in that order, whoever wrote it. */
export class ObservedDatabase extends MemoryDatabase {
  /** By what a write tells: it may be sent in another shape once more. */
  readonly onWrite = new WeakMap<object, () => void>()
  /** What never changes of each job that was ever sent. */
  readonly born = new Map<string, string>()
  commits = 0

  override write(set: WriteSet, writer: (() => void) | null): Written {
    const written = super.write(set, writer)
    this.onWrite.get(set.chunk ?? set)?.()
    return written
  }

  override append(set: WriteSet, after: Mark, writer: (() => void) | null): Written {
    const written = super.append(set, after, writer)
    this.onWrite.get(set.chunk ?? set)?.()
    return written
  }
}

/** Who writes: all who decide at once, or one who took work for itself. */
type Writer = 'group' | 'session'

/** A sweep takes work that is known of with a group, until it looks for work itself. */
const SWEEPING = new AsyncLocalStorage<{ by: Writer }>()

/** The tables as one process has them: says what it is about to write. */
export class ObservedTables extends MemoryTables {
  onSent: (set: WriteSet, by: Writer) => void = () => {}

  override append(...given: Parameters<Tail['append']>): Promise<Written> {
    this.onSent(given[0], 'group')
    return super.append(...given)
  }

  override write(set: WriteSet): Promise<Written> {
    this.onSent(set, 'group')
    return super.write(set)
  }

  override async take(select: TakeWork, also?: Wanted): Promise<TakenWork> {
    const sweeping = SWEEPING.getStore()
    if (sweeping !== undefined) sweeping.by = 'session'
    const work = await super.take(select, also)
    const write = (set: WriteSet) => {
      this.onSent(set, 'session')
      return work.write(set)
    }
    return { ...work, write }
  }
}

/** Nothing was given an etag yet. */
const NOT_WRITTEN = ''

/** One decision on its way into the database. */
interface Call {
  by: Writer
  change: Change | null
  at: number
  /** Where it was made: what is decided together has the same source of ids. */
  space: IdSource | null
}

interface Observer {
  commit(commit: Commit): void
  ignored(entry: AuditEntry): void
}

/**
 * Stands in front of a store with tables and tells of every change when it becomes durable. A decision is made again as often
 * as somebody else was faster, and several are written at once. All that was decided together is sent together: it is told by
 * what its records came to, as others may have decided on the same version of a job meanwhile, and will find that they were late.
 */
export class ObservedTableStore extends Facade {
  readonly #database: ObservedDatabase
  readonly #on: Observer
  /** In the order in which they were decided. */
  readonly #calls = new Set<Call>()

  constructor(inner: Store, tables: ObservedTables, database: ObservedDatabase, on: Observer) {
    super(inner)
    this.#database = database
    this.#on = on
    // It goes on when the process is gone: what it sent may still arrive.
    tables.onSent = (set, by) => this.#sent(set, by)
  }

  override async transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>) {
    const call: Call = { by: 'group', change: null, at: 0, space: null }
    const answer = await super.transact(keys, (given) => this.#decided(call, decide(given), given))
    this.#over(call)
    return answer
  }

  override async sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    const calls = new Map<string, Call>()
    const sweeping: { by: Writer } = { by: 'group' }
    const decideEach = (key: RecordKey, given: Given) => {
      const name = nameOfKey(key)
      const call = calls.get(name) ?? { by: sweeping.by, change: null, at: 0, space: null }
      call.by = sweeping.by
      calls.set(name, call)
      return this.#decided(call, decide(key, given), given)
    }
    const swept = await SWEEPING.run(sweeping, () => super.sweep(selector, decideEach))
    for (const call of calls.values()) this.#over(call)
    return swept
  }

  #decided<A>(call: Call, decision: Decision<A>, { now, ids }: Given): Decision<A> {
    this.#calls.delete(call)
    call.change = decision.kind === 'change' ? decision.change : null
    call.at = now
    call.space = ids
    if (call.change === null || call.change.puts.length === 0) return decision
    // The etag that it had is not the one that it gets.
    for (const put of call.change.puts) put.etag = NOT_WRITTEN
    this.#calls.add(call)
    return decision
  }

  /** What loses a race is decided again, and sent again. */
  #sent(set: WriteSet, by: Writer): void {
    // It is sent once more when others wrote what has nothing to do with it, or in place when it may not be added to the tail.
    if (this.#database.onWrite.has(set.chunk ?? set)) return
    const sent = this.#decidedFor(set, by)
    for (const call of sent) this.#calls.delete(call)
    const commits = sent.map(({ change, at }) => ({
      change: change as Change,
      at,
      isByRecord: true as const,
    }))
    this.#database.onWrite.set(set.chunk ?? set, () => {
      for (const commit of commits) this.#on.commit({ ...commit, etag: ++this.#database.commits })
    })
  }

  /** All that was decided where this came of it. Where the same came of it twice, it does not matter which is meant. */
  #decidedFor(set: WriteSet, by: Writer): readonly Call[] {
    const records = new SentRecords(set, this.#database.born)
    const likely = [...this.#calls].filter((call) => call.by === by && call.at === set.at)
    for (const calls of Map.groupBy(likely, ({ space }) => space).values()) {
      if (records.are(calls.flatMap(({ change }) => change?.puts ?? []))) return calls
    }
    law(records.isEmpty, () => `nobody decided ${records.names}, and it is sent`)
    return []
  }

  /** What was decided and not sent by now never is: somebody else was faster, and it was left to them. */
  #over(call: Call): void {
    this.#calls.delete(call)
    for (const entry of call.change?.audit ?? []) if (entry.event === 'ignored') this.#on.ignored(entry)
  }
}
