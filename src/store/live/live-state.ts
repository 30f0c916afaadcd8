import {
  type AggregateKind,
  type AggregateOf,
  applyToJob,
  type JobAggregate,
  type LedgerRecord,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { Change } from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { Devices } from './devices.ts'
import { SignalQueue } from './signal-queue.ts'
import { StateCounts } from './state-counts.ts'
import { TwoKeys } from './two-keys.ts'
import { WorkIndex, type WorkPlace } from './work-index.ts'

interface Held<K extends AggregateKind> {
  aggregate: AggregateOf[K]
  readonly key: RecordKey<K>
  readonly place: WorkPlace
}

type Shelves = { readonly [K in AggregateKind]: TwoKeys<Held<K>> }

type JobPart = Extract<LedgerRecord, { readonly kind: 'job' | 'step' | 'outbox' }>

/**
 * Everything an engine keeps in memory: the aggregates, the indexes that find work among them, counts, claims,
 * slots and signals. It applies changes and answers reads; where the changes are kept is the engine's matter.
 */
export class LiveState {
  readonly work = new WorkIndex()
  readonly devices = new Devices()
  readonly signals = new SignalQueue()
  readonly counts = new StateCounts()
  readonly #shelves: Shelves = {
    document: new TwoKeys(),
    job: new TwoKeys(),
    run: new TwoKeys(),
    workstream: new TwoKeys(),
  }
  /** All of them: an aggregate holds only those that are open. */
  readonly #rows = new TwoKeys<OutboxRecord>()

  aggregate<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null {
    return this.#shelves[kind].get(tenant_id, id)?.aggregate ?? null
  }

  record<K extends RecordKind>({ kind, tenant_id, id }: RecordKey<K>): RecordOf[K] | null {
    return this.#record(kind, tenant_id, id) as RecordOf[K] | null
  }

  /** All records of a kind, in no particular order. */
  *records(kind: RecordKind, tenant_id?: string): Generator<LedgerRecord> {
    if (kind === 'document' || kind === 'run' || kind === 'workstream') {
      for (const held of this.#shelves[kind].values(tenant_id)) yield held.aggregate
      return
    }
    if (kind === 'outbox') {
      yield* this.#rows.values(tenant_id)
      return
    }
    for (const { aggregate } of this.#shelves.job.values(tenant_id)) {
      if (kind === 'job') yield aggregate.job
      else yield* aggregate.steps
    }
  }

  /** Writes a change under a new etag. */
  apply(change: Change, etag: string): void {
    const parts: JobPart[] = []
    for (const put of change.puts) {
      put.etag = etag
      if (isJobPart(put)) parts.push(put)
      else this.#putAlone(put)
    }
    for (const group of byJob(parts)) this.#putJob(group)
    this.devices.apply(change)
    for (const signal of change.signals) {
      if (this.work.isAwaited(signal.tenant_id, signal.topic)) this.signals.push(signal)
    }
  }

  #record(kind: RecordKind, tenant_id: string, id: string): LedgerRecord | null {
    if (kind === 'job') return this.aggregate('job', tenant_id, id)?.job ?? null
    if (kind === 'outbox') return this.#rows.get(tenant_id, id) ?? null
    if (kind !== 'step') return this.aggregate(kind, tenant_id, id)
    const slash = id.lastIndexOf('/')
    if (slash === -1) return null
    const job = this.aggregate('job', tenant_id, id.slice(0, slash))
    return job?.steps.find((step) => step.step_id === id.slice(slash + 1)) ?? null
  }

  #putAlone(put: Exclude<LedgerRecord, JobPart>): void {
    const id = put.kind === 'document' ? put.doc_id : put.kind === 'run' ? put.run_id : put.workstream_id
    const shelf = this.#shelves[put.kind] as TwoKeys<Held<AggregateKind>>
    const held = shelf.get(put.tenant_id, id)
    this.counts.replace(held?.aggregate as LedgerRecord | undefined, put)
    if (held !== undefined) held.aggregate = put
    else {
      const key = { kind: put.kind, tenant_id: put.tenant_id, id }
      shelf.set(put.tenant_id, id, { aggregate: put, key, place: WorkIndex.nowhere() })
    }
  }

  #putJob(parts: readonly JobPart[]): void {
    const { tenant_id, job_id } = parts[0] as JobPart
    const held = this.#shelves.job.get(tenant_id, job_id)
    const before = held?.aggregate ?? null
    const aggregate = applyToJob(before, parts)
    for (const part of parts) {
      this.counts.replace(this.#partBefore(before, part), part)
      if (part.kind === 'outbox') this.#rows.set(tenant_id, part.outbox_id, part)
    }
    if (held !== undefined) {
      held.aggregate = aggregate
      this.work.move(held.key, held.place, aggregate.job)
    } else {
      const key = { kind: 'job', tenant_id, id: job_id } as const
      const place = WorkIndex.nowhere()
      this.#shelves.job.set(tenant_id, job_id, { aggregate, key, place })
      this.work.move(key, place, aggregate.job)
    }
  }

  #partBefore(before: JobAggregate | null, part: JobPart): LedgerRecord | undefined {
    if (part.kind === 'job') return before?.job
    if (part.kind === 'step') return before?.steps[part.step_index]
    return this.#rows.get(part.tenant_id, part.outbox_id)
  }
}

function isJobPart(record: LedgerRecord): record is JobPart {
  return record.kind === 'job' || record.kind === 'step' || record.kind === 'outbox'
}

/** Nearly every change is about one job, and then there is nothing to sort. */
function byJob(parts: readonly JobPart[]): Iterable<readonly JobPart[]> {
  const first = parts[0]
  if (first === undefined) return []
  if (parts.every((part) => part.job_id === first.job_id && part.tenant_id === first.tenant_id))
    return [parts]
  const groups = new TwoKeys<JobPart[]>()
  for (const part of parts) {
    const group = groups.get(part.tenant_id, part.job_id)
    if (group === undefined) groups.set(part.tenant_id, part.job_id, [part])
    else group.push(part)
  }
  return groups.values()
}
