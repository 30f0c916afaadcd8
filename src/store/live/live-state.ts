import {
  type AggregateKind,
  type AggregateOf,
  applyToJob,
  idOf,
  type JobAggregate,
  type LedgerRecord,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { Change, ClaimKey } from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { Devices } from './devices.ts'
import { SignalQueue } from './signal-queue.ts'
import { StateCounts } from './state-counts.ts'
import { TwoKeys } from './two-keys.ts'
import { WorkIndex, type WorkPlace } from './work-index.ts'

/** A job in memory, with its place in the index of work. */
interface HeldJob {
  aggregate: JobAggregate
  readonly key: RecordKey<'job'>
  readonly place: WorkPlace
}

type AloneKind = Exclude<AggregateKind, 'job'>
type Shelves = { readonly [K in AloneKind]: TwoKeys<AggregateOf[K]> }

export type JobPart = Extract<LedgerRecord, { readonly kind: 'job' | 'step' | 'outbox' }>
export type AloneRecord = Exclude<LedgerRecord, JobPart>

/**
 * Everything an engine keeps in memory: the aggregates, the indexes that find work among them, counts, claims,
 * slots and signals. It applies changes and answers reads; where the changes are kept is the engine's matter.
 */
export class LiveState {
  readonly work = new WorkIndex()
  readonly devices = new Devices()
  readonly signals = new SignalQueue()
  readonly counts = new StateCounts()
  readonly #jobs = new TwoKeys<HeldJob>()
  readonly #shelves: Shelves = {
    document: new TwoKeys(),
    run: new TwoKeys(),
    workstream: new TwoKeys(),
  }
  /** All of them: an aggregate holds only those that are open. */
  readonly #rows = new TwoKeys<OutboxRecord>()

  aggregate<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null {
    if (kind === 'job') return (this.#jobs.get(tenant_id, id)?.aggregate ?? null) as AggregateOf[K] | null
    return (this.#shelves[kind as AloneKind].get(tenant_id, id) ?? null) as AggregateOf[K] | null
  }

  ownerOf(claim: ClaimKey): string | undefined {
    return this.devices.ownerOf(claim)
  }

  /** Takes in records that are counted already: they were kept elsewhere. */
  admit(record: AloneRecord | JobAggregate): void {
    if ('kind' in record) this.#shelf(record).set(record.tenant_id, idOf(record), record)
    else {
      this.#holdJob(record)
      for (const row of record.outbox) this.#rows.set(row.tenant_id, row.outbox_id, row)
    }
  }

  /** Takes in an outbox row that is closed, and so is in no aggregate. */
  admitRow(row: OutboxRecord): void {
    this.#rows.set(row.tenant_id, row.outbox_id, row)
  }

  /** Forgets records that are kept elsewhere and have nothing to do. Counts stay as they are. */
  evict({ kind, tenant_id, id }: RecordKey<Exclude<RecordKind, 'step'>>): void {
    if (kind === 'outbox') this.#rows.delete(tenant_id, id)
    else if (kind === 'job') this.#jobs.delete(tenant_id, id)
    else this.#shelves[kind].delete(tenant_id, id)
  }

  record<K extends RecordKind>({ kind, tenant_id, id }: RecordKey<K>): RecordOf[K] | null {
    return this.#record(kind, tenant_id, id) as RecordOf[K] | null
  }

  *jobs(): Generator<JobAggregate> {
    for (const { aggregate } of this.#jobs.values()) yield aggregate
  }

  /** All records of a kind, in no particular order. */
  *records(kind: RecordKind, tenant_id?: string): Generator<LedgerRecord> {
    if (kind === 'document' || kind === 'run' || kind === 'workstream') {
      yield* this.#shelves[kind].values(tenant_id)
      return
    }
    if (kind === 'outbox') {
      yield* this.#rows.values(tenant_id)
      return
    }
    for (const { aggregate } of this.#jobs.values(tenant_id)) {
      if (kind === 'job') yield aggregate.job
      else yield* aggregate.steps
    }
  }

  /** Writes a change under a new etag. */
  apply(change: Change, etag: string): void {
    for (const put of change.puts) put.etag = etag
    this.devices.apply(change)
    this.write(change)
  }

  /** Writes records and signals; the devices may have been told long before, when it was decided. */
  write({ puts, signals }: Change): void {
    let parts: JobPart[] | undefined
    for (const put of puts) {
      if (!isJobPart(put)) this.#putAlone(put)
      else if (parts === undefined) parts = [put]
      else parts.push(put)
    }
    if (parts !== undefined) for (const group of byJob(parts)) this.#putJob(group)
    for (const signal of signals) {
      if (this.work.isAwaited(signal.tenant_id, signal.topic)) this.signals.push(signal)
    }
  }

  #record(kind: RecordKind, tenant_id: string, id: string): LedgerRecord | null {
    if (kind === 'job') return this.aggregate('job', tenant_id, id)?.job ?? null
    if (kind === 'outbox') return this.#rows.get(tenant_id, id) ?? null
    if (kind !== 'step') return this.#shelves[kind].get(tenant_id, id) ?? null
    const slash = id.lastIndexOf('/')
    if (slash === -1) return null
    const job = this.aggregate('job', tenant_id, id.slice(0, slash))
    return job?.steps.find((step) => step.step_id === id.slice(slash + 1)) ?? null
  }

  #putAlone(put: AloneRecord): void {
    const shelf = this.#shelf(put)
    const id = idOf(put)
    this.counts.replace(shelf.get(put.tenant_id, id), put)
    shelf.set(put.tenant_id, id, put)
  }

  #shelf(record: AloneRecord): TwoKeys<AloneRecord> {
    return this.#shelves[record.kind] as TwoKeys<AloneRecord>
  }

  #putJob(parts: readonly JobPart[]): void {
    const { tenant_id, job_id } = parts[0] as JobPart
    const before = this.#jobs.get(tenant_id, job_id)?.aggregate ?? null
    for (const part of parts) {
      this.counts.replace(this.#partBefore(before, part), part)
      if (part.kind === 'outbox') this.#rows.set(tenant_id, part.outbox_id, part)
    }
    this.#holdJob(applyToJob(before, parts))
  }

  #holdJob(aggregate: JobAggregate): void {
    const { tenant_id, job_id } = aggregate.job
    let held = this.#jobs.get(tenant_id, job_id)
    if (held === undefined) {
      const key = { kind: 'job', tenant_id, id: job_id } as const
      held = { aggregate, key, place: WorkIndex.nowhere() }
      this.#jobs.set(tenant_id, job_id, held)
    }
    held.aggregate = aggregate
    this.work.move(held.key, held.place, aggregate.job)
  }

  #partBefore(before: JobAggregate | null, part: JobPart): LedgerRecord | undefined {
    if (part.kind === 'job') return before?.job
    if (part.kind === 'step') return before?.steps[part.step_index]
    return this.#rows.get(part.tenant_id, part.outbox_id)
  }
}

export function isJobPart(record: LedgerRecord): record is JobPart {
  return record.kind === 'job' || record.kind === 'step' || record.kind === 'outbox'
}

/** Nearly every change is about one job, and then there is nothing to sort. */
export function byJob(parts: readonly JobPart[]): Iterable<readonly JobPart[]> {
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
