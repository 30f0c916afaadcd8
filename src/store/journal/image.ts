import {
  type AggregateKind,
  type AggregateOf,
  ALONE_KINDS,
  type AloneRecord,
  idOf,
  type RecordKey,
  type RecordOf,
} from '../../core/aggregate.ts'
import type { AskedClaim, ClaimKey } from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import type { Timers } from '../../world/timers.ts'
import { Layers } from '../live/layers.ts'
import { isAlwaysHere, LiveState } from '../live/live-state.ts'
import type { Snapshot } from './snapshot/snapshot.ts'
import { TABLE_OF, type TableName } from './snapshot/tables.ts'

/** How many records are looked at before others get their turn. */
const LOOKED_AT_ONCE = 1000

/**
 * The ledger as it is now: in memory everything that was touched since the snapshot, and what is open and was touched
 * since the snapshot before it; the rest in the snapshot. What is in memory goes before what the snapshot says.
 */
export class Image {
  readonly live = new LiveState()
  /** How many refusals were kept, by tenant and name of the record. */
  readonly refusals = new Layers<number>()
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
    const known = this.live.decided(kind, tenant_id, id)
    return known !== null || isAlwaysHere(kind) ? known : this.#nullIfAbsent(TABLE_OF[kind], tenant_id, id)
  }

  /** Null when nobody owns it; undefined when somebody might. */
  ownerOf({ tenant_id, key, tail }: AskedClaim): string | null | undefined {
    return this.live.devices.claims.get(tenant_id, key, tail) ?? this.#nullIfAbsent('claims', tenant_id, key)
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
        ? await this.read((base) => base.job(tenant_id, id))
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

  /** What was remembered by now belongs to seqs up to this one. */
  seal(seq: number): void {
    this.live.devices.claims.seal(seq)
    this.refusals.seal(seq)
  }

  /**
   * A new snapshot: of what it has, forgets what is at rest, and what nobody touched since the one before. What is in use
   * stays in memory, whatever happens on the disk.
   */
  async rebase(snapshot: Snapshot | null): Promise<void> {
    const before = this.#base
    this.#base = snapshot === null ? null : { snapshot, users: 0, retired: false }
    this.live.storeWork(snapshot?.work ?? null)
    if (before !== null) {
      before.retired = true
      if (before.users === 0) await before.snapshot.close()
    }
    if (snapshot === null) return
    this.live.devices.claims.drop(snapshot.head.seq)
    this.refusals.drop(snapshot.head.seq)
    await this.#forget(snapshot, before?.snapshot.head.seq ?? 0)
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
    for (const kind of ALONE_KINDS) {
      for (const record of live.records(kind)) {
        const { tenant_id } = record
        if (this.live.decided(kind, tenant_id, idOf(record)) === null) this.live.admit(record as AloneRecord)
      }
    }
    for (const aggregate of live.jobs()) {
      const { tenant_id, job_id } = aggregate.job
      if (this.live.decided('job', tenant_id, job_id) === null) this.live.admit(aggregate)
    }
    for (const row of live.records('outbox')) {
      const key = { kind: 'outbox', tenant_id: row.tenant_id, id: idOf(row) } as const
      if (this.live.record(key) !== null) continue
      this.live.admitRow(row as OutboxRecord)
    }
    for (const [tenant_id, key, owner] of live.devices.claims.entries()) {
      if (this.live.devices.claims.get(tenant_id, key) === undefined)
        this.live.devices.claims.set(tenant_id, key, owner)
    }
    for (const [tenant_id, name, kept] of older.refusals.entries()) {
      if (this.refusals.get(tenant_id, name) === undefined) this.refusals.set(tenant_id, name, kept)
    }
  }

  /** A little at a time. */
  async #forget(snapshot: Snapshot, seqBefore: number): Promise<void> {
    const { seq } = snapshot.head
    const untouchedSince = Math.min(seq, seqBefore)
    let looked = 0
    for (const { key, etag, isAtRest } of this.live.kept()) {
      if (etag <= untouchedSince || (isAtRest && etag <= seq)) this.live.evict(key)
      if (++looked % LOOKED_AT_ONCE !== 0) continue
      await this.#timers.turn()
      // Another snapshot took its place meanwhile, and may not have the rest.
      if (this.base !== snapshot) return
    }
    this.live.listings.clear()
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
