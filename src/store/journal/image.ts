import {
  type AggregateKind,
  type AggregateOf,
  idOf,
  isAtRest,
  type JobAggregate,
  type LedgerRecord,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { ClaimKey } from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import type { Timers } from '../../world/timers.ts'
import { Layers } from '../live/layers.ts'
import { type AloneRecord, LiveState } from '../live/live-state.ts'
import type { PendingCommit } from './group-commit.ts'
import type { Snapshot } from './snapshot/snapshot.ts'
import { TABLE_OF, type TableName } from './snapshot/tables.ts'

type EvictableKind = Exclude<RecordKind, 'step'>

/** A record that has come to rest, and when it did. */
interface Rested {
  readonly key: RecordKey<EvictableKind>
  readonly seq: number
}

/** How many records are forgotten at a time, so that nobody waits for it. */
const EVICTED_AT_ONCE = 1000

/**
 * The ledger as it is now: in memory everything that is open or was touched since the snapshot, the rest in the
 * snapshot. What is in memory is newer than what the snapshot says.
 */
export class Image {
  readonly live = new LiveState()
  /** How many refusals were kept, by tenant and name of the record. */
  readonly refusals = new Layers<number>()
  /** Records that could be forgotten as soon as a snapshot has them, oldest first. */
  #rested: Rested[] = []
  readonly #timers: Timers
  #base: BaseInUse | null = null

  /** Goes back to an older snapshot when this one is damaged, or throws what it was given. */
  replaceDamaged: ((snapshot: Snapshot, damage: LedgerDamaged) => Promise<void>) | null = null

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get base(): Snapshot | null {
    return this.#base?.snapshot ?? null
  }

  /** What is known without looking at the disk: undefined when there might be one. */
  aggregate<K extends AggregateKind>(
    kind: K,
    tenant_id: string,
    id: string,
  ): AggregateOf[K] | null | undefined {
    return this.live.decided(kind, tenant_id, id) ?? this.#nullIfAbsent(TABLE_OF[kind], tenant_id, id)
  }

  /** Null when nobody owns it; undefined when somebody might. */
  ownerOf({ tenant_id, key }: ClaimKey): string | null | undefined {
    return this.live.devices.claims.get(tenant_id, key) ?? this.#nullIfAbsent('claims', tenant_id, key)
  }

  /** How many refusals of a record are kept; undefined when that has to be looked up. */
  refusalsOf(tenant_id: string, name: string): number | undefined {
    const kept = this.refusals.get(tenant_id, name)
    return kept ?? (this.#nullIfAbsent('refusals', tenant_id, name) === null ? 0 : undefined)
  }

  /**
   * Runs a read of the snapshot, which stays open until it is done. When the snapshot turns out to be damaged it is
   * replaced, if that is possible, and `SnapshotReplaced` thrown: what was looked for may be in memory now.
   */
  async read<T>(read: (base: Snapshot) => Promise<T>): Promise<T | null> {
    const base = this.#base
    if (base === null) return null
    if (base.retired) throw new SnapshotReplaced('there is a newer image')
    base.users++
    try {
      return await read(base.snapshot)
    } catch (error) {
      if (!(error instanceof LedgerDamaged) || this.replaceDamaged === null) throw error
      await this.replaceDamaged(base.snapshot, error)
      throw new SnapshotReplaced('the snapshot is damaged', { cause: error })
    } finally {
      base.users--
      if (base.retired && base.users === 0) await base.snapshot.close()
    }
  }

  /** An aggregate from the snapshot. */
  async load<K extends AggregateKind>(key: RecordKey<K>): Promise<AggregateOf[K] | null> {
    const { kind, tenant_id, id } = key
    const found =
      kind === 'job'
        ? await this.read((base) => settledJob(base, tenant_id, id))
        : await this.read((base) => base.get(TABLE_OF[kind], tenant_id, id))
    return found as AggregateOf[K] | null
  }

  /** A record from the snapshot. */
  async loadRecord<K extends RecordKind>({ kind, tenant_id, id }: RecordKey<K>): Promise<RecordOf[K] | null> {
    return (await this.read((base) => base.get(TABLE_OF[kind], tenant_id, id))) as RecordOf[K] | null
  }

  async loadOwner({ tenant_id, key }: ClaimKey): Promise<string | null> {
    return (await this.read((base) => base.get('claims', tenant_id, key))) as string | null
  }

  async loadRefusals(tenant_id: string, name: string): Promise<number> {
    return ((await this.read((base) => base.get('refusals', tenant_id, name))) as number | null) ?? 0
  }

  /** Takes in what only the snapshot had, to be changed. */
  admit(aggregate: AloneRecord | JobAggregate): void {
    this.live.admit(aggregate)
    const record = 'kind' in aggregate ? aggregate : aggregate.job
    this.noteRest(record, Number(record.etag))
  }

  /** A commit is durable. */
  settle({ moves, signals, first }: PendingCommit): void {
    this.live.settle(moves, signals)
    for (const { to, parts } of moves) {
      if (parts === null) this.noteRest(to, first)
      else for (const part of parts) this.noteRest(part, first)
    }
  }

  /** Remembers a record that has come to rest. */
  noteRest(record: LedgerRecord, seq: number): void {
    if (record.kind === 'step' || !isAtRest(record)) return
    this.#rested.push({ key: { kind: record.kind, tenant_id: record.tenant_id, id: idOf(record) }, seq })
  }

  /** What was remembered by now belongs to seqs up to this one. */
  seal(seq: number): void {
    this.live.devices.claims.seal(seq)
    this.refusals.seal(seq)
  }

  /** A new snapshot: what it has and what is at rest is forgotten, a little at a time. */
  async rebase(snapshot: Snapshot | null): Promise<void> {
    const before = this.#base
    this.#base = snapshot === null ? null : { snapshot, users: 0, retired: false }
    if (before !== null) {
      before.retired = true
      if (before.users === 0) await before.snapshot.close()
    }
    if (snapshot === null) return
    this.live.devices.claims.drop(snapshot.head.seq)
    this.refusals.drop(snapshot.head.seq)
    await this.#evictUpTo(snapshot.head.seq)
  }

  /** Nobody is to read from it any more; who does is told to look again, elsewhere. */
  async retire(): Promise<void> {
    const base = this.#base
    if (base === null || base.retired) return
    base.retired = true
    if (base.users === 0) await base.snapshot.close()
  }

  /** Hands its snapshot over to another image. */
  release(): Snapshot | null {
    const { base } = this
    this.#base = null
    return base
  }

  /** What another image has in memory and this one does not: it comes from an older snapshot, and knows less. */
  adopt(older: Image): void {
    const { live } = older
    for (const kind of ['document', 'run', 'workstream'] as const) {
      for (const record of live.records(kind)) {
        const { tenant_id } = record
        if (this.live.decided(kind, tenant_id, idOf(record)) === null) this.admit(record as AloneRecord)
      }
    }
    for (const aggregate of live.jobs()) {
      const { tenant_id, job_id } = aggregate.job
      if (this.live.decided('job', tenant_id, job_id) === null) this.admit(aggregate)
    }
    for (const row of live.records('outbox')) {
      const key = { kind: 'outbox', tenant_id: row.tenant_id, id: idOf(row) } as const
      if (this.live.record(key) !== null) continue
      this.live.admitRow(row as OutboxRecord)
      this.noteRest(row, Number(row.etag))
    }
    for (const [tenant_id, key, owner] of live.devices.claims.entries()) {
      if (this.live.devices.claims.get(tenant_id, key) === undefined)
        this.live.devices.claims.set(tenant_id, key, owner)
    }
    for (const [tenant_id, name, kept] of older.refusals.entries()) {
      if (this.refusals.get(tenant_id, name) === undefined) this.refusals.set(tenant_id, name, kept)
    }
  }

  async #evictUpTo(seq: number): Promise<void> {
    const base = this.#base
    const rested = this.#rested
    this.#rested = []
    const left: Rested[] = []
    for (const [index, one] of rested.entries()) {
      if (index % EVICTED_AT_ONCE === EVICTED_AT_ONCE - 1) await this.#timers.turn()
      // Another snapshot took its place meanwhile, and may not have it.
      if (one.seq > seq || this.#base !== base) left.push(one)
      else this.#evict(one.key, seq)
    }
    this.#rested = [...left, ...this.#rested]
  }

  /** Unless it has moved on since. */
  #evict(key: RecordKey<EvictableKind>, seq: number): void {
    const record = this.live.record(key)
    if (record === null || Number(record.etag) > seq) return
    if (isAtRest(record)) this.live.evict(key)
  }

  #nullIfAbsent(table: TableName, tenant_id: string, id: string): null | undefined {
    const base = this.base
    return base === null || base.surelyAbsent(table, tenant_id, id) === true ? null : undefined
  }
}

/** What was read was damaged, and there is another snapshot now: look again, in memory first. */
class SnapshotReplaced extends Error {}

/** A snapshot is replaced at most so often while somebody reads. */
const MOST_REPLACEMENTS = 10

/** What was found, unless the snapshot was replaced meanwhile. */
export async function ifNotReplaced<T>(look: () => Promise<T>): Promise<T | 'replaced'> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof SnapshotReplaced) return 'replaced'
    throw error
  }
}

/** Looks again when the snapshot was replaced meanwhile. */
export async function lookAgain<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof SnapshotReplaced) || tries === MOST_REPLACEMENTS) throw error
    }
  }
}

interface BaseInUse {
  readonly snapshot: Snapshot
  users: number
  retired: boolean
}

/** Settled jobs have no open outbox rows. */
async function settledJob(base: Snapshot, tenant_id: string, job_id: string): Promise<JobAggregate | null> {
  const job = await base.get('jobs', tenant_id, job_id)
  if (job === null) return null
  return { job: job as RecordOf['job'], steps: await base.stepsOf(tenant_id, job_id), outbox: [] }
}
