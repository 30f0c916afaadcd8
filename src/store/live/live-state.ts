import {
  type AggregateKind,
  type AggregateOf,
  ALONE_KINDS,
  type AloneKind,
  type AloneRecord,
  applyToJob,
  idOf,
  isJobPart,
  isOpenRow,
  type JobAggregate,
  type JobPart,
  type LedgerRecord,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { Change, ClaimKey, Signal } from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import type { Stride } from '../../core/job/stride.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import type { WorkView } from '../../core/pick.ts'
import { EVERYBODY } from '../../core/queue/record.ts'
import { AboutToWait } from './about-to-wait.ts'
import { AlikeJobs } from './alike-jobs.ts'
import { areOfOneJob, byJob } from './by-job.ts'
import { Devices } from './devices.ts'
import { JobCells } from './job-cells.ts'
import { type Kept, keptJob, keptRecord } from './kept.ts'
import { Listings } from './listings.ts'
import { type AloneMove, type Cell, JobCell, type JobMove, type Move } from './move.ts'
import { SignalQueue } from './signal-queue.ts'
import { StateCounts } from './state-counts.ts'
import type { StoredWork } from './stored-work.ts'
import { TwoKeys } from './two-keys.ts'
import { WorkIndex } from './work-index.ts'

/** There are few of them, and every claim asks for a queue, every request for a token: they are always in memory. */
export function isAlwaysHere(kind: AggregateKind): boolean {
  return kind === 'queue' || kind === 'schedule' || kind === 'token'
}

/**
 * Everything an engine keeps in memory: the aggregates, the indexes that find work among them, counts, claims,
 * slots and signals. It applies changes and answers reads; where the changes are kept is the engine's matter.
 *
 * A change takes effect in two steps. `decide` shows it to later decisions; `settle`, when it is durable, shows it
 * to everybody else.
 */
export class LiveState {
  readonly #jobs = new JobCells()
  readonly work = new WorkIndex()
  readonly devices = new Devices(this.#jobs)
  readonly signals = new SignalQueue()
  readonly counts = new StateCounts()
  readonly listings = new Listings(this)
  readonly alike = new AlikeJobs({
    cells: this.#jobs,
    work: this.work,
    devices: this.devices,
    counts: this.counts,
    listings: this.listings,
  })
  readonly #shelves: { readonly [K in AloneKind]: TwoKeys<Cell<AloneRecord>> } = {
    document: new TwoKeys(),
    run: new TwoKeys(),
    workstream: new TwoKeys(),
    queue: new TwoKeys(),
    schedule: new TwoKeys(),
    token: new TwoKeys(),
  }
  /** The document that was looked at last. */
  readonly #atHand: { tenant_id: string; id: string; cell: Cell<AloneRecord> | undefined } = {
    tenant_id: '',
    id: '',
    cell: undefined,
  }
  readonly #aboutToWait = new AboutToWait()
  /** All of them: an aggregate holds only those that are open. */
  readonly #rows = new TwoKeys<OutboxRecord>()

  /** As it is. */
  aggregate<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null {
    return (this.#cell(kind, tenant_id, id)?.durable ?? null) as AggregateOf[K] | null
  }

  /** As it was decided to be. What a decision looks at is mostly what it then changes, so the place is kept at hand. */
  decided<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null {
    const cell = kind === 'job' ? this.#jobs.look(tenant_id, id) : this.#cell(kind, tenant_id, id)
    if (kind === 'document') {
      this.#atHand.tenant_id = tenant_id
      this.#atHand.id = id
      this.#atHand.cell = cell as Cell<AloneRecord> | undefined
    }
    return (cell === undefined ? null : (cell.decided ?? cell.durable)) as AggregateOf[K] | null
  }

  /** Something was decided about it that is not durable yet. */
  isPending({ kind, tenant_id, id }: RecordKey): boolean {
    return this.#cell(kind, tenant_id, id)?.decided != null
  }

  ownerOf(claim: ClaimKey): string | undefined {
    return this.devices.ownerOf(claim)
  }

  record<K extends RecordKind>({ kind, tenant_id, id }: RecordKey<K>): RecordOf[K] | null {
    return this.#record(kind, tenant_id, id) as RecordOf[K] | null
  }

  *jobs(): Generator<JobAggregate> {
    for (const { durable } of this.#jobs.values()) if (durable !== null) yield durable
  }

  /** All records of a kind, in no particular order. */
  *records(kind: RecordKind, tenant_id?: string): Generator<LedgerRecord> {
    if (kind !== 'job' && kind !== 'step' && kind !== 'outbox') {
      for (const { durable } of this.#shelves[kind].values(tenant_id)) if (durable !== null) yield durable
      return
    }
    if (kind === 'outbox') {
      yield* this.#rows.values(tenant_id)
      return
    }
    for (const { durable } of this.#jobs.values(tenant_id)) {
      if (durable === null) continue
      if (kind === 'job') yield durable.job
      else yield* durable.steps
    }
  }

  /** What bears on ready work at a time. */
  viewAt(now: number): WorkView {
    return { ...this.devices.useAt(now), queue: (name) => this.aggregate('queue', EVERYBODY, name) }
  }

  /** When there is next something due; at once, when signals wait to be delivered. */
  nextDue(): number | null {
    return this.signals.pending > 0 ? 0 : this.work.nextDue()
  }

  /** Jobs that are not in memory have this to do, until they are. */
  storeWork(stored: StoredWork | null): void {
    this.work.store(stored, (tenant_id, job_id) => this.#jobs.get(tenant_id, job_id) !== undefined)
  }

  /** Takes in an aggregate that is counted already: it was kept elsewhere. */
  admit(aggregate: AloneRecord | JobAggregate): void {
    if ('kind' in aggregate) {
      this.#shelfCell(aggregate).durable = aggregate
      this.listings.came(aggregate)
    } else {
      for (const part of [aggregate.job, ...aggregate.steps, ...aggregate.outbox]) this.listings.came(part)
      this.#holdJob(this.#jobs.of(aggregate.job.tenant_id, aggregate.job.job_id), aggregate, false)
      for (const row of aggregate.outbox) this.#rows.set(row.tenant_id, row.outbox_id, row)
    }
  }

  /** Takes in an outbox row that is closed, and so is in no aggregate. */
  admitRow(row: OutboxRecord): void {
    this.listings.came(row)
    this.#rows.set(row.tenant_id, row.outbox_id, row)
  }

  /** What could be evicted, once it is kept elsewhere. Things may come and go while it is gone through. */
  *kept(): Generator<Kept> {
    for (const kind of ALONE_KINDS) {
      if (isAlwaysHere(kind)) continue
      for (const { durable: record } of this.#shelves[kind].values()) {
        if (record !== null) yield keptRecord(record)
      }
    }
    for (const { durable } of this.#jobs.values()) if (durable !== null) yield keptJob(durable)
    for (const row of this.#rows.values()) if (!isOpenRow(row)) yield keptRecord(row)
  }

  /** Forgets something that is kept elsewhere. What is to be done with it is still known, and counts stay as they are. */
  evict({ kind, tenant_id, id }: Kept['key']): void {
    if (kind === 'outbox') this.#rows.delete(tenant_id, id)
    else if (this.isPending({ kind, tenant_id, id })) return
    else if (kind === 'job') this.#evictJob(tenant_id, id)
    else this.#forget(kind, tenant_id, id)
  }

  /** Writes a change under a new etag, for everybody to see. */
  apply(change: Change, etag: string): void {
    for (const put of change.puts) put.etag = etag
    this.devices.apply(change)
    this.settle(this.decide(change), change.signals)
  }

  /** Shows a change to decisions. Its devices are told separately. */
  decide({ puts }: Change): readonly Move[] {
    const first = puts[0]
    // Nearly always; and a list that grows takes room for many.
    if (puts.length === 1 && first !== undefined && !isJobPart(first)) return [this.#decideAlone(first)]
    if (areOfOneJob(puts)) return [this.#decideJob(puts)]
    const moves: Move[] = []
    let parts: JobPart[] | undefined
    for (const put of puts) {
      if (!isJobPart(put)) moves.push(this.#decideAlone(put))
      else if (parts === undefined) parts = [put]
      else parts.push(put)
    }
    if (parts !== undefined) {
      for (const group of byJob(parts)) moves.push(this.#decideJob(group))
    }
    return moves
  }

  /** Somebody waits for a signal, or will when what was decided is durable. */
  get #isAnyAwaited(): boolean {
    return this.work.isAnyAwaited || !this.#aboutToWait.isEmpty
  }

  /** Somebody waits for what a job signals by going on as others did. */
  isAwaited(stride: Stride): boolean {
    return (
      stride.leg.change.signals.length > 0 && this.#isAnyAwaited && this.awaited(stride.signals).length > 0
    )
  }

  /** The signals that somebody waits for, or will when what was decided is durable. The others need not be kept. */
  awaited(signals: readonly Signal[]): readonly Signal[] {
    if (signals.length === 0) return signals
    if (!this.#isAnyAwaited) return NO_SIGNALS
    return signals.filter(
      ({ tenant_id, topic }) =>
        this.work.isAwaited(tenant_id, topic) || this.#aboutToWait.has(tenant_id, topic),
    )
  }

  /**
   * Shows what a change makes ready to whoever takes work, before the change is durable. What is taken then comes after the
   * change in the log, and is lost with it. Answers whether there is any.
   */
  foresee(moves: readonly Move[]): boolean {
    let isAny = false
    for (const { cell, to, parts } of moves) {
      if (parts === null) continue
      if (this.work.foresee(cell, to.job.ready)) isAny = true
    }
    return isAny
  }

  /** What was decided is durable. */
  settle(moves: readonly Move[], signals: readonly Signal[]): void {
    for (const move of moves) {
      if (move.parts === null) {
        this.counts.replace(move.cell.durable, move.to)
        move.cell.durable = move.to
        this.listings.came(move.to)
      } else {
        this.#settleJob(move)
      }
      if (move.cell.decided === move.to) move.cell.decided = null
    }
    for (const signal of signals) {
      if (this.work.isAwaited(signal.tenant_id, signal.topic)) this.signals.push(signal)
    }
  }

  /** What was decided last will not be. */
  takeBack(moves: readonly Move[]): void {
    for (const { cell, before, to } of moves) {
      cell.decided = before === cell.durable ? null : (before as typeof cell.decided)
      if (!('kind' in to)) this.#aboutToWait.remove(to.job)
      if (cell instanceof JobCell) {
        this.work.foresee(cell, null)
        if (cell.decided === null) this.work.giveBack(cell)
      }
      if (cell.decided !== null || cell.durable !== null) continue
      if ('kind' in to) this.#forget(to.kind, to.tenant_id, idOf(to))
      else this.#forget('job', to.job.tenant_id, to.job.job_id)
    }
  }

  #cell(kind: AggregateKind, tenant_id: string, id: string): Cell<AloneRecord | JobAggregate> | undefined {
    return kind === 'job' ? this.#jobs.get(tenant_id, id) : this.#shelves[kind].get(tenant_id, id)
  }

  #evictJob(tenant_id: string, id: string): void {
    const cell = this.#jobs.get(tenant_id, id)
    if (cell === undefined) return
    cell.holds?.name(id)
    for (const row of cell.durable?.outbox ?? []) this.#rows.delete(tenant_id, row.outbox_id)
    cell.durable = null
    if (cell.isNowhere) this.#forget('job', tenant_id, id)
  }

  #forget(kind: AggregateKind, tenant_id: string, id: string): void {
    this.#atHand.cell = undefined
    if (kind === 'job') this.#jobs.delete(tenant_id, id)
    else this.#shelves[kind].delete(tenant_id, id)
  }

  #record(kind: RecordKind, tenant_id: string, id: string): LedgerRecord | null {
    if (kind === 'job') return this.#jobs.get(tenant_id, id)?.durable?.job ?? null
    if (kind === 'outbox') return this.#rows.get(tenant_id, id) ?? null
    if (kind !== 'step') return this.#shelves[kind].get(tenant_id, id)?.durable ?? null
    const slash = id.lastIndexOf('/')
    if (slash === -1) return null
    const job = this.#jobs.get(tenant_id, id.slice(0, slash))?.durable
    return job?.steps.find((step) => step.step_id === id.slice(slash + 1)) ?? null
  }

  #decideAlone(put: AloneRecord): AloneMove {
    const cell = this.#shelfCell(put)
    const before = cell.decided ?? cell.durable
    cell.decided = put
    return { cell, before, to: put, parts: null }
  }

  #shelfCell(record: AloneRecord): Cell<AloneRecord> {
    const shelf = this.#shelves[record.kind]
    const id = idOf(record)
    const { tenant_id } = record
    const isAtHand =
      record.kind === 'document' && this.#atHand.id === id && this.#atHand.tenant_id === tenant_id
    let cell = isAtHand ? this.#atHand.cell : shelf.get(tenant_id, id)
    this.#atHand.cell = undefined
    if (cell === undefined) {
      cell = shelf.get(tenant_id, id) ?? { durable: null, decided: null }
      shelf.set(tenant_id, id, cell)
    }
    return cell
  }

  #decideJob(parts: readonly JobPart[]): JobMove {
    const { tenant_id, job_id } = parts[0] as JobPart
    const cell = this.#jobs.of(tenant_id, job_id)
    const before = cell.decided ?? cell.durable
    const to = applyToJob(before, parts)
    cell.decided = to
    this.#aboutToWait.add(to.job)
    this.work.take(cell)
    return { cell, before, to, parts }
  }

  #settleJob({ cell, to, parts }: JobMove): void {
    this.#aboutToWait.remove(to.job)
    for (const part of parts) {
      this.counts.replace(this.#partBefore(cell.durable, part), part)
      this.listings.came(part)
      if (part.kind === 'outbox') this.#rows.set(part.tenant_id, part.outbox_id, part)
    }
    this.#holdJob(cell, to, cell.decided !== to)
  }

  #holdJob(cell: JobCell, aggregate: JobAggregate, isLater: boolean): void {
    cell.durable = aggregate
    this.work.move(cell, aggregate.job, isLater)
  }

  #partBefore(before: JobAggregate | null, part: JobPart): LedgerRecord | null {
    if (part.kind === 'job') return before?.job ?? null
    if (part.kind === 'step') return before?.steps[part.step_index] ?? null
    return this.#rows.get(part.tenant_id, part.outbox_id) ?? null
  }
}

const NO_SIGNALS: readonly Signal[] = Object.freeze([])
