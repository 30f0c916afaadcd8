import type { RecordKey } from '../../src/core/aggregate.ts'
import type { Accepted, Decision, Given, Refused } from '../../src/core/decision.ts'
import { DiskFull } from '../../src/errors/journal-errors.ts'
import type { Outcome, Store, Sweep, Swept } from '../../src/store/store.ts'

/** What was, or may have been, written by one call. */
export type Written = Accepted<unknown> | Refused

interface Attempt {
  /** The last one that the store was given: that is the one it wrote, if it wrote one. */
  decision: Decision<unknown> | null
  fate: 'under way' | 'acknowledged' | 'not written' | 'unknown'
}

/**
 * Stands between callers and a store, and remembers what the store was given to write and what it said became of it.
 * After a crash it knows what has to be there, and what may be.
 */
export class Witness {
  /** In the order in which they were decided, which is the order in which they are written. */
  readonly #attempts = new Set<Attempt>()
  /** What came through earlier crashes. */
  #before: readonly Written[]
  #open = 0

  constructor(before: readonly Written[] = []) {
    this.#before = before
  }

  /** How many callers have not been answered. */
  get waiting(): number {
    return this.#open
  }

  async transact<A>(
    store: Store,
    keys: readonly RecordKey[],
    decide: (given: Given) => Decision<A>,
  ): Promise<Outcome<A>> {
    const attempt = this.#attempt()
    return this.#judged([attempt], () =>
      store.transact(keys, (given) => this.#decided(attempt, decide(given)) as Decision<A>),
    )
  }

  async sweep<A>(
    store: Store,
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    const attempts = new Map<string, Attempt>()
    return this.#judged(attempts.values(), () =>
      store.sweep(selector, (key, given) => {
        const name = JSON.stringify(key)
        const attempt = attempts.get(name) ?? this.#attempt()
        attempts.set(name, attempt)
        return this.#decided(attempt, decide(key, given)) as Decision<A>
      }),
    )
  }

  /** Somebody has opened the ledger again and looked: this is what is there. */
  settle(written: readonly Written[]): void {
    this.#before = written
    this.#attempts.clear()
  }

  /** What has to be there: everything that was acknowledged, on top of what was there before. */
  acknowledged(): readonly Written[] {
    return [...this.#before, ...this.#certain().flatMap(writtenBy)]
  }

  /**
   * Everything that may be there, the least first: what was acknowledged, and after it whole commits that were under way,
   * in order and without a gap. Of some of those nobody can tell whether the store had begun to write them.
   */
  possible(): readonly (readonly Written[])[] {
    const certain = this.#certain()
    const last = certain.at(-1)
    const all = [...this.#attempts]
    const after = all.slice(last === undefined ? 0 : all.indexOf(last) + 1).filter(mayBeWritten)
    const found: Written[][] = []
    const start = this.acknowledged()
    for (const some of choices(after)) {
      for (let n = 0; n <= some.length; n++) found.push([...start, ...some.slice(0, n).flatMap(writtenBy)])
    }
    return found
  }

  /** Every ledger that a reader may have met since so many commits were acknowledged, the oldest first. */
  since(count: number): readonly (readonly Written[])[] {
    const all = this.acknowledged()
    const passed = Array.from({ length: all.length - count }, (_, n) => all.slice(0, count + n))
    return [...passed, ...this.possible()]
  }

  /** What was written before something that was acknowledged is durable as well, whether its caller heard of it or not. */
  #certain(): readonly Attempt[] {
    const all = [...this.#attempts]
    const last = all.findLastIndex((attempt) => attempt.fate === 'acknowledged' && leavesTrace(attempt))
    return all.filter(
      (attempt, n) =>
        n <= last && (attempt.fate === 'acknowledged' || (attempt.fate !== 'not written' && isTold(attempt))),
    )
  }

  #attempt(): Attempt {
    const attempt: Attempt = { decision: null, fate: 'under way' }
    this.#attempts.add(attempt)
    return attempt
  }

  #decided(attempt: Attempt, decision: Decision<unknown>): Decision<unknown> {
    attempt.decision = decision
    this.#attempts.delete(attempt)
    this.#attempts.add(attempt)
    return decision
  }

  async #judged<T>(attempts: Iterable<Attempt>, act: () => Promise<T>): Promise<T> {
    this.#open++
    try {
      const answer = await act()
      for (const attempt of attempts) attempt.fate = 'acknowledged'
      return answer
    } catch (error) {
      const fate = error instanceof DiskFull ? 'not written' : 'unknown'
      for (const attempt of attempts) attempt.fate = fate
      throw error
    } finally {
      this.#open--
    }
  }
}

function writtenBy({ decision }: Attempt): readonly Written[] {
  return decision === null || decision.kind === 'need' ? [] : [decision]
}

/** A store freezes what it writes as soon as it has decided to; what has no records leaves no trace. */
function mayBeWritten(attempt: Attempt): boolean {
  if (attempt.fate === 'not written' || writtenBy(attempt).length === 0) return false
  return isTold(attempt) || !hasRecords(attempt)
}

function hasRecords({ decision }: Attempt): boolean {
  return decision?.kind === 'change' && decision.change.puts.length > 0
}

function leavesTrace({ decision }: Attempt): boolean {
  if (decision?.kind === 'refusal') return decision.audit !== null
  return decision?.kind === 'change' && (decision.change.puts.length > 0 || decision.change.audit.length > 0)
}

function isTold({ decision }: Attempt): boolean {
  return decision?.kind === 'change' && Object.isFrozen(decision.change.puts[0])
}

/** More than this many that nobody can tell of do not come up; if they do, only all of them or none are tried. */
const MOST_DOUBTFUL = 4

/** All attempts, with and without each of those that nobody can tell of. */
function choices(attempts: readonly Attempt[]): readonly (readonly Attempt[])[] {
  const doubtful = attempts.filter((attempt) => !hasRecords(attempt))
  if (doubtful.length === 0) return [attempts]
  const sets = doubtful.length > MOST_DOUBTFUL ? [[], doubtful] : subsets(doubtful)
  return sets.map((without) => attempts.filter((attempt) => !without.includes(attempt)))
}

function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  const sets: (readonly T[])[] = [[]]
  for (const item of items) sets.push(...sets.map((set) => [...set, item]))
  return sets
}
