import type { Claim } from '../../../core/decision.ts'
import { StateCounts } from '../../live/state-counts.ts'
import { TwoKeys } from '../../live/two-keys.ts'
import type {
  ChangedJob,
  ChangedRecord,
  Changes,
  ClosedRow,
  DueKey,
  Named,
  NewJob,
  ReadyKey,
  SlotWrite,
  WriteSet,
} from '../tables.ts'

/** A job, and the parts of the log that tell of it. */
export interface MergedJob {
  /** Null when it was there before. */
  born: NewJob | null
  /** As it was changed last. */
  changed: ChangedJob | null
  readonly told: number[]
}

export interface MergedRecord {
  record: ChangedRecord
  readonly isNew: boolean
  readonly told: number[]
}

export interface MergedSlot {
  readonly tenant_id: string
  readonly key: string
  add: number
  /** All who hold one, and how often that changed; null when it did not. */
  named: { list: readonly Named[]; changes: number } | null
}

/** Writes that follow each other as what they come to: what was changed and changed again is there once, as it is by now. */
export class MergedParts {
  readonly jobs = new TwoKeys<MergedJob>()
  readonly records = new Map<string, MergedRecord>()
  readonly rows = new Map<string, ClosedRow>()
  readonly claims: Claim[] = []
  readonly slots = new TwoKeys<MergedSlot>()
  readonly counts = new StateCounts()
  readonly #ready = new Places<ReadyKey>(
    (a, b) => a.rank === b.rank && a.queue === b.queue && a.group === b.group,
  )
  readonly #due = new Places<DueKey>((a, b) => a.due_at === b.due_at)
  at = 0

  /** @param told the part of the log that tells of it */
  add(set: WriteSet, told: number): void {
    for (const born of set.newJobs) {
      this.jobs.set(born.tenant_id, born.job_id, { born, changed: null, told: born.isTold ? [told] : [] })
    }
    for (const job of set.jobs) this.#change(job, told)
    for (const record of set.records) this.#put(record, told)
    for (const row of set.rows) this.rows.set(`${row.tenant_id}\n${row.outbox_id}`, row)
    for (const claim of set.claims) this.claims.push(claim)
    for (const slot of set.slots) this.#count(slot)
    for (const { tenant_id, kind, state, n } of set.counts) this.counts.add(tenant_id, kind, state, n)
    this.#ready.add(set.ready)
    this.#due.add(set.due)
    this.at = Math.max(this.at, set.at)
  }

  get ready(): Changes<ReadyKey> {
    return this.#ready.changes()
  }

  get due(): Changes<DueKey> {
    return this.#due.changes()
  }

  #change(changed: ChangedJob, told: number): void {
    const { tenant_id, job_id, isTold } = changed
    let job = this.jobs.get(tenant_id, job_id)
    if (job === undefined) {
      job = { born: null, changed, told: [] }
      this.jobs.set(tenant_id, job_id, job)
    }
    job.changed = changed
    if (isTold && job.told.at(-1) !== told) job.told.push(told)
  }

  #put(record: ChangedRecord, told: number): void {
    const name = `${record.kind}\n${record.tenant_id}\n${record.id}`
    let merged = this.records.get(name)
    if (merged === undefined) {
      merged = { record, isNew: record.from === 0, told: [] }
      this.records.set(name, merged)
    }
    merged.record = record
    if (record.isTold && merged.told.at(-1) !== told) merged.told.push(told)
  }

  #count({ tenant_id, key, add, named }: SlotWrite): void {
    let slot = this.slots.get(tenant_id, key)
    if (slot === undefined) {
      slot = { tenant_id, key, add: 0, named: null }
      this.slots.set(tenant_id, key, slot)
    }
    slot.add += add
    if (named !== null) slot.named = { list: named, changes: (slot.named?.changes ?? 0) + 1 }
  }
}

interface JobKey {
  readonly tenant_id: string
  readonly job_id: string
}

/** Where jobs stood, and where they stand. A job has one place at most. */
class Places<K extends JobKey> {
  readonly #isSame: (a: K, b: K) => boolean
  readonly #moved = new TwoKeys<{ readonly was: K | null; is: K | null }>()

  constructor(isSame: (a: K, b: K) => boolean) {
    this.#isSame = isSame
  }

  add({ drops, adds }: Changes<K>): void {
    for (const was of drops) {
      const moved = this.#moved.get(was.tenant_id, was.job_id)
      if (moved === undefined) this.#moved.set(was.tenant_id, was.job_id, { was, is: null })
      else moved.is = null
    }
    for (const is of adds) {
      const moved = this.#moved.get(is.tenant_id, is.job_id)
      if (moved === undefined) this.#moved.set(is.tenant_id, is.job_id, { was: null, is })
      else moved.is = is
    }
  }

  changes(): Changes<K> {
    const adds: K[] = []
    const drops: K[] = []
    this.#moved.forEach(({ was, is }) => {
      if (was !== null && is !== null && this.#isSame(was, is)) return
      if (was !== null) drops.push(was)
      if (is !== null) adds.push(is)
    })
    return { adds, drops }
  }
}
