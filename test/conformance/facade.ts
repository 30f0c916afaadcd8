import type { AggregateKind, AggregateOf, RecordKey, RecordOf } from '../../src/core/aggregate.ts'
import type { AuditRecord } from '../../src/core/audit.ts'
import type { ClaimKey, Decision, Given } from '../../src/core/decision.ts'
import type { RecordKind } from '../../src/core/machines/all.ts'
import type { AuditQuery, DurationsQuery, FindQuery } from '../../src/store/query.ts'
import type { LookAtReady, Outcome, Store, Sweep, Swept, WatchOptions } from '../../src/store/store.ts'

/** A store in front of another: passes everything on, so that subclasses change just what they are about. */
export class Facade implements Store {
  readonly inner: Store

  constructor(inner: Store) {
    this.inner = inner
  }

  get capabilities() {
    return this.inner.capabilities
  }

  transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    return this.inner.transact(keys, decide)
  }

  sweep<A>(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<A>,
  ): Promise<readonly Swept<A>[]> {
    return this.inner.sweep(selector, decide)
  }

  get<K extends RecordKind>(key: RecordKey<K>): Promise<RecordOf[K] | null> {
    return this.inner.get(key)
  }

  load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null> {
    return this.inner.load(key)
  }

  ownerOf(claim: ClaimKey): Promise<string | null> {
    return this.inner.ownerOf(claim)
  }

  find<K extends RecordKind>(query: FindQuery<K>) {
    return this.inner.find(query)
  }

  audit(query: AuditQuery) {
    return this.inner.audit(query)
  }

  durations(query: DurationsQuery) {
    return this.inner.durations(query)
  }

  counts(kind: RecordKind, tenant_id?: string) {
    return this.inner.counts(kind, tenant_id)
  }

  ready<T>(queues: readonly string[], perGroup: number, look: LookAtReady<T>): Promise<T> {
    return this.inner.ready(queues, perGroup, look)
  }

  nextDue() {
    return this.inner.nextDue()
  }

  subscribe(listener: () => void): () => void {
    return this.inner.subscribe(listener)
  }

  watch(options?: WatchOptions): AsyncIterable<AuditRecord> {
    return this.inner.watch(options)
  }

  claims() {
    return this.inner.claims()
  }

  stats() {
    return this.inner.stats()
  }

  maintain() {
    return this.inner.maintain()
  }

  check() {
    return this.inner.check()
  }

  close() {
    return this.inner.close()
  }
}
