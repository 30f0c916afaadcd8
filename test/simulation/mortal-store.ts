import type { AggregateKind, RecordKey } from '../../src/core/aggregate.ts'
import type { AuditRecord } from '../../src/core/audit.ts'
import type { Decision, Given } from '../../src/core/decision.ts'
import type { RecordKind } from '../../src/core/machines/all.ts'
import type { FindQuery } from '../../src/store/query.ts'
import type { LookAtReady, Store, Sweep, WatchOptions } from '../../src/store/store.ts'
import { Facade } from '../conformance/facade.ts'

/**
 * The store as one process has it. When the process is dead it asks for nothing more, hears no news, and never learns what
 * became of what it had asked for.
 */
export class MortalStore extends Facade {
  readonly #ends: (() => void)[] = []
  #isDead = false

  constructor(inner: Store) {
    super(inner)
  }

  die(): void {
    this.#isDead = true
    for (const end of this.#ends) end()
  }

  override transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>) {
    return this.#while(() => super.transact(keys, decide))
  }

  override sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    return this.#while(() => super.sweep(selector, decide))
  }

  override get<K extends RecordKind>(key: RecordKey<K>) {
    return this.#while(() => super.get(key))
  }

  override load<K extends AggregateKind>(key: RecordKey<K>) {
    return this.#while(() => super.load(key))
  }

  override find<K extends RecordKind>(query: FindQuery<K>) {
    return this.#while(() => super.find(query))
  }

  override ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    return this.#while(() => super.ready(queues, perGroup, look))
  }

  override nextDue() {
    return this.#while(() => super.nextDue())
  }

  override maintain() {
    return this.#while(() => super.maintain())
  }

  override counts(kind: RecordKind, tenant_id?: string) {
    return this.#while(() => super.counts(kind, tenant_id))
  }

  override watch({ signal, ...options }: WatchOptions = {}): AsyncIterable<AuditRecord> {
    const end = new AbortController()
    this.#ends.push(() => end.abort())
    return super.watch({ ...options, signal: AbortSignal.any(signal ? [signal, end.signal] : [end.signal]) })
  }

  override subscribe(listener: () => void): () => void {
    const end = super.subscribe(listener)
    this.#ends.push(end)
    return end
  }

  #while<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#isDead) return new Promise(() => {})
    return new Promise((resolve, reject) => {
      ask().then(
        (answer) => {
          if (!this.#isDead) resolve(answer)
        },
        (error: unknown) => {
          if (!this.#isDead) reject(error)
        },
      )
    })
  }
}
