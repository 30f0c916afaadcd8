import type { RecordKey } from '../../src/core/aggregate.ts'
import type { AuditEntry } from '../../src/core/audit.ts'
import type { Change, Decision, Given } from '../../src/core/decision.ts'
import { DiskFull } from '../../src/errors/journal-errors.ts'
import type { Store, Sweep } from '../../src/store/store.ts'
import { Facade } from '../conformance/facade.ts'
import type { Commit } from './shadow.ts'

/** One decision on its way into the store. */
interface Call {
  change: Change | null
  at: number
}

interface Observer {
  /** A change became durable. */
  commit(commit: Commit): void
  /** Something was said that changes nothing: it came late, or twice. */
  ignored(entry: AuditEntry): void
}

/** Nothing was given an etag yet. */
const NOT_WRITTEN = ''

/**
 * Stands right in front of an engine and tells of every change when it becomes durable: in the order of the commits, before
 * anybody else learns of it.
 *
 * A decision may be made several times until it is written. The engine then writes the etag of the commit into its records,
 * in place, so that it can be told which decisions are on their way, and in what order.
 */
export class ObservedStore extends Facade {
  readonly #lastDurable: () => number
  readonly #on: Observer
  /** In the order in which they were decided, which is the order in which they are written. */
  readonly #calls = new Set<Call>()

  constructor(inner: Store, lastDurable: () => number, on: Observer) {
    super(inner)
    this.#lastDurable = lastDurable
    this.#on = on
    inner.subscribe(() => this.#news())
  }

  /** Changes that were on their way when everything ended: the first few of them may be durable all the same. */
  unsettled(): readonly Commit[] {
    return this.#written()
  }

  override transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>) {
    const call: Call = { change: null, at: 0 }
    return this.#judged(
      [call],
      super.transact(keys, (given) => this.#decided(call, decide(given), given)),
    )
  }

  override sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    const calls = new Map<string, Call>()
    const swept = super.sweep(selector, (key, given) => {
      const name = `${key.tenant_id} ${key.id}`
      const call = calls.get(name) ?? { change: null, at: 0 }
      calls.set(name, call)
      return this.#decided(call, decide(key, given), given)
    })
    return this.#judged(calls.values(), swept)
  }

  /** A full disk takes back what was pending; after any other failure nobody knows what is on it. */
  async #judged<T>(calls: Iterable<Call>, answer: Promise<T>): Promise<T> {
    try {
      const answered = await answer
      // A store that is being closed has no more news, but still finishes what is pending.
      this.#news()
      return answered
    } catch (error) {
      if (error instanceof DiskFull) for (const call of calls) this.#calls.delete(call)
      throw error
    }
  }

  #decided<A>(call: Call, decision: Decision<A>, { now }: Given): Decision<A> {
    this.#calls.delete(call)
    if (decision.kind !== 'change') return decision
    for (const entry of decision.change.audit) if (entry.event === 'ignored') this.#on.ignored(entry)
    if (decision.change.puts.length === 0) return decision
    for (const put of decision.change.puts) put.etag = NOT_WRITTEN
    call.change = decision.change
    call.at = now
    this.#calls.add(call)
    return decision
  }

  #news(): void {
    const last = this.#lastDurable()
    for (const commit of this.#written()) {
      if (commit.etag > last) break
      this.#on.commit(commit)
    }
    for (const call of this.#calls) if (isWritten(call) && etagOf(call) <= last) this.#calls.delete(call)
  }

  /** What was given an etag and not taken back: whoever came later and has the same one says that it was. */
  #written(): readonly Commit[] {
    const commits: Commit[] = []
    let next = Number.POSITIVE_INFINITY
    for (const call of [...this.#calls].filter(isWritten).reverse()) {
      const etag = etagOf(call)
      if (etag >= next) continue
      next = etag
      commits.push({ change: call.change as Change, at: call.at, etag })
    }
    return commits.reverse()
  }
}

function isWritten({ change }: Call): boolean {
  return change?.puts[0]?.etag !== NOT_WRITTEN
}

function etagOf({ change }: Call): number {
  return Number(change?.puts[0]?.etag)
}
