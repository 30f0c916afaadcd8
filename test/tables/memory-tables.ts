// The tables of a database, in memory: what drivers promise, in its plainest form. Several stores may be opened on one, as
// several processes would be on a database; and it can lose races on demand.
import { type AloneKind, nameOfKey, stepKey } from '../../src/core/aggregate.ts'
import type { Claim, ClaimKey, SlotKey } from '../../src/core/decision.ts'
import type { RecordKind } from '../../src/core/machines/all.ts'
import { comparePlaces, type Place } from '../../src/store/place.ts'
import { changedAt, type FindQuery, matchesFind } from '../../src/store/query.ts'
import { cellOfRecord } from '../../src/store/tables/cell.ts'
import { decodeJob } from '../../src/store/tables/job-codec.ts'
import type {
  About,
  Chunk,
  ChunkSelect,
  ChunkSketch,
  SketchSelect,
} from '../../src/store/tables/log-parts.ts'
import { refusalName } from '../../src/store/tables/missing.ts'
import {
  Conflict,
  type Find,
  type FoundOutbox,
  type FoundStep,
  type Head,
  type JobRow,
  type Loaded,
  type NextSelect,
  NOTHING_WANTED,
  type OnSeen,
  type ReadySelect,
  type RecordRow,
  type SlotHolder,
  type TakenWork,
  type TakeWork,
  type Wanted,
  type WriteSet,
  type Written,
} from '../../src/store/tables/tables.ts'
import type { Tail, TailDriver } from '../../src/store/tables/tail/tail.ts'
import { jobName, type MemoryDatabase, pairName } from './memory-database.ts'
import { readyAfter, readyHeads } from './ready-keys.ts'

export interface MemoryTablesOptions {
  /** Whether this write is to lose a race that nobody ran. */
  readonly loses?: () => boolean
  /** How long it takes until the database has heard of something. */
  readonly turn?: () => Promise<void>
  /** For how long it writes in place after it heard of others. */
  readonly apartMs?: number
}

export class MemoryTables implements TailDriver {
  readonly tail: Tail
  readonly #db: MemoryDatabase
  readonly #loses: () => boolean
  readonly #turn: () => Promise<void>
  #listener: (() => void) | null = null

  constructor(
    db: MemoryDatabase,
    {
      loses = () => false,
      turn = () => new Promise((resolve) => setImmediate(resolve)),
      apartMs = 0,
    }: MemoryTablesOptions = {},
  ) {
    this.#turn = turn
    this.#db = db
    this.#loses = loses
    this.tail = this.#tailOf(apartMs)
  }

  /** What is in the tail it does not see: whoever asks has to settle that first. */
  async load(wanted: Wanted): Promise<Loaded> {
    const db = this.#db
    return {
      jobs: those(wanted.jobs.map((key) => db.jobs.get(nameOfKey(key)))),
      records: those(wanted.records.map((key) => db.records.get(nameOfKey(key)))),
      claims: those(wanted.claims.map((key) => db.claims.get(pairName(key.tenant_id, key.key)))),
      slots: those(wanted.slots.map((key) => db.slots.get(pairName(key.tenant_id, key.key)))),
      refusals: those(wanted.refusals.map((key) => db.refusals.get(refusalName(key)))),
      rows: those(wanted.rows.map(({ tenant_id, id }) => db.rows.get(pairName(tenant_id, id)))),
    }
  }

  async write(set: WriteSet, onSeen?: OnSeen): Promise<Written> {
    await this.#turn()
    for (const { tenant_id, job_id } of set.jobs) {
      if (this.#db.locked.has(jobName(tenant_id, job_id))) throw new Conflict('somebody has taken it')
    }
    return this.#lasting(this.#write(set), onSeen)
  }

  async take(select: TakeWork, also = NOTHING_WANTED): Promise<TakenWork> {
    const db = this.#db
    db.foldAll()
    const isFree = ({ tenant_id, job_id }: { tenant_id: string; job_id: string }) =>
      !db.locked.has(jobName(tenant_id, job_id))
    const delivered = new Map<string, number[]>()
    let found: readonly { readonly tenant_id: string; readonly job_id: string }[]
    if (select.what === 'ready') found = readyHeads(this.#db, select, isFree)
    else if (select.what === 'due') {
      const due = [...db.due.values()].filter((one) => one.due_at <= select.now && isFree(one))
      found = due
        .toSorted((a, b) => a.due_at - b.due_at || (a.job_id < b.job_id ? -1 : 1))
        .slice(0, select.limit)
    } else {
      for (const one of db.owed.filter(isFree)) {
        const name = jobName(one.tenant_id, one.job_id)
        if (!delivered.has(name) && delivered.size === select.limit) continue
        delivered.set(name, [...(delivered.get(name) ?? []), one.id])
      }
      found = those([...delivered.keys()].map((name) => db.jobs.get(name)))
    }
    const jobs = those(found.map(({ tenant_id, job_id }) => db.jobs.get(jobName(tenant_id, job_id))))
    const names = jobs.map(({ tenant_id, job_id }) => jobName(tenant_id, job_id))
    for (const name of names) db.locked.add(name)
    await this.#turn()
    const release = async () => {
      for (const name of names.splice(0)) db.locked.delete(name)
    }
    return {
      jobs,
      delivered,
      requests: [],
      also: await this.load(also),
      load: (wanted) => this.load(wanted),
      write: async (set, onSeen) => {
        let written: Written
        try {
          written = this.#write(set)
        } finally {
          await release()
        }
        return this.#lasting(written, onSeen)
      },
      release,
    }
  }

  async heads(select: ReadySelect): Promise<readonly JobRow[]> {
    const heads = readyHeads(this.#db, select)
    return those(heads.map(({ tenant_id, job_id }) => this.#db.jobs.get(jobName(tenant_id, job_id))))
  }

  async headsAfter(select: NextSelect): Promise<readonly (readonly JobRow[])[]> {
    await this.#turn()
    const groups = readyAfter(this.#db, select)
    return groups.map((keys) =>
      those(keys.map((key) => this.#db.jobs.get(jobName(key.tenant_id, key.job_id)))),
    )
  }

  async holders(slots: readonly SlotKey[]): Promise<readonly SlotHolder[]> {
    return slots.flatMap(({ tenant_id, key }) =>
      [...this.#db.jobs.values()]
        .filter((row) => row.tenant_id === tenant_id && row.holds.includes(key))
        .map(({ job_id }) => ({ tenant_id, key, owner: job_id })),
    )
  }

  async nextDue(): Promise<number | null> {
    if (this.#db.owed.length > 0) return 0
    const first = Math.min(...[...this.#db.due.values()].map(({ due_at }) => due_at))
    return first === Number.POSITIVE_INFINITY ? null : first
  }

  async pendingSignals(): Promise<number> {
    return this.#db.owed.length
  }

  async head(): Promise<Head> {
    return this.#db.endHead()
  }

  async counts() {
    return [...this.#db.counts.entries()]
  }

  async findJobs(find: Find): Promise<readonly JobRow[]> {
    const all = [...this.#db.jobs.values()].map((row) => ({ row, record: decodeJob(row).aggregate.job }))
    return sorted(all, find, ({ record }) => ({ record, id: record.job_id })).map(({ row }) => row)
  }

  async findRecords(kind: AloneKind, find: Find): Promise<readonly RecordRow[]> {
    return this.#findRecords(kind, find)
  }

  #findRecords(kind: AloneKind, find: Find): readonly RecordRow[] {
    const all = [...this.#db.records.values()]
      .filter((row) => row.kind === kind)
      .map((row) => ({ row, record: cellOfRecord(row).aggregate as Parameters<typeof changedAt>[0] }))
    return sorted(all, find, ({ record, row }) => ({ record, id: row.id })).map(({ row }) => row)
  }

  async findSteps(find: Find): Promise<readonly FoundStep[]> {
    const all = [...this.#db.jobs.values()].flatMap((job) =>
      decodeJob(job).aggregate.steps.map((record, step_index) => ({ record, found: { job, step_index } })),
    )
    const idOf = ({ record }: (typeof all)[number]) => ({
      record,
      id: stepKey(record.job_id, record.step_id),
    })
    return sorted(all, find, idOf).map(({ found }) => found)
  }

  async findOutbox(find: Find): Promise<readonly FoundOutbox[]> {
    return sorted(this.#outbox(), find, ({ record }) => ({ record, id: record.outbox_id })).map(
      ({ found }) => found,
    )
  }

  async outboxRow(tenant_id: string, outbox_id: string): Promise<FoundOutbox | null> {
    const row = this.#outbox().find(
      ({ record }) => record.tenant_id === tenant_id && record.outbox_id === outbox_id,
    )
    return row?.found ?? null
  }

  async chunksAbout({ tenant_id, kind, id, job_id, doc_id }: About): Promise<readonly number[]> {
    const ids = new Set<number>()
    const add = (log: readonly number[]) => {
      for (const one of log) ids.add(one)
    }
    const isTenant = (row: { readonly tenant_id: string }) =>
      tenant_id === undefined || row.tenant_id === tenant_id
    const isJob = (row: { readonly tenant_id: string; readonly job_id: string | null }) => {
      if (job_id !== undefined) return row.job_id === job_id
      if (doc_id !== undefined)
        return [...this.#db.jobs.values()].some((job) => job.doc_id === doc_id && job.job_id === row.job_id)
      if (kind === 'step') return row.job_id === id?.slice(0, id.lastIndexOf('/'))
      if (kind === 'outbox')
        return this.#outbox().some(({ record }) => record.outbox_id === id && record.job_id === row.job_id)
      if (kind === 'job') return row.job_id === id
      if (kind !== undefined) return false
      return (
        row.job_id === id ||
        row.job_id === id?.slice(0, id.lastIndexOf('/')) ||
        this.#outbox().some(({ record }) => record.outbox_id === id && record.job_id === row.job_id)
      )
    }
    for (const job of this.#db.jobs.values()) if (isTenant(job) && isJob(job)) add(job.log)
    for (const row of this.#db.refusals.values()) {
      if (isTenant(row) && (isJob(row) || row.id === (id ?? doc_id))) add(row.log)
    }
    for (const row of this.#db.records.values()) if (isTenant(row) && row.id === (id ?? doc_id)) add(row.log)
    return [...ids].sort((a, b) => a - b)
  }

  async chunks({
    ids,
    tags,
    from,
    before,
    seq,
    isDescending,
    limit,
  }: ChunkSelect): Promise<readonly Chunk[]> {
    const found = this.#db.chunks.filter(
      (chunk) =>
        (ids === undefined || ids.includes(chunk.first_seq)) &&
        tags.every((tag) => chunk.tags.includes(tag)) &&
        (from === undefined || chunk.last_at >= from) &&
        (before === undefined || chunk.first_at < before) &&
        (isDescending ? chunk.first_seq < seq : chunk.first_seq + chunk.places - 1 > seq),
    )
    return (isDescending ? found.toReversed() : found).slice(0, limit)
  }

  async sketches({ from, before, after, limit }: SketchSelect): Promise<readonly ChunkSketch[]> {
    return this.#db.chunks
      .filter(
        (chunk) =>
          chunk.first_seq > after &&
          (from === undefined || chunk.last_at >= from) &&
          (before === undefined || chunk.first_at < before),
      )
      .slice(0, limit)
  }

  async claims(after: ClaimKey | null, limit: number): Promise<readonly Claim[]> {
    const name = after === null ? '' : pairName(after.tenant_id, after.key)
    const names = [...this.#db.claims.keys()].filter((one) => one > name).sort()
    return those(names.slice(0, limit).map((one) => this.#db.claims.get(one)))
  }

  async maintain(_keepFrom: number | null): Promise<number> {
    return 0
  }

  onNews(listener: () => void): void {
    this.#listener = listener
    this.#db.listeners.add(listener)
  }

  async close(): Promise<void> {
    if (this.#listener !== null) this.#db.listeners.delete(this.#listener)
  }

  async append(...[set, after, { onSeen, formed }]: Parameters<Tail['append']>): Promise<Written> {
    const db = this.#db
    if (formed !== null) db.mustSay(set, formed)
    await this.#turn()
    for (const { tenant_id, job_id } of set.jobs) {
      if (db.locked.has(jobName(tenant_id, job_id))) throw new Conflict('somebody has taken it')
    }
    if (this.#loses()) throw new Conflict('as it was told')
    return this.#lasting(db.append(set, after, this.#listener), onSeen)
  }

  #tailOf(apartMs: number): Tail {
    const db = this.#db
    return {
      apartMs,
      atOnce: 1000,
      much: 100_000,
      most: 1_000_000,
      mark: async () => {
        await this.#turn()
        db.foldAll()
        return db.end()
      },
      end: async () => db.end(),
      isAwaited: async () => db.waits.size > 0,
      append: (...given) => this.append(...given),
      keepForm: async ({ id, text }) => void db.forms.set(id, text),
      since: async ({ turn, seq }) =>
        turn !== db.turn || db.head.seq > seq ? null : db.tail.filter(({ first_seq }) => first_seq > seq),
      fold: async () => {
        await this.#turn()
        db.fold()
        return { seq: db.head.seq, isAll: db.tail.length === 0 }
      },
      settled: async () => db.foldAll(),
      load: (wanted) => this.load(wanted),
      headsAfter: (select) => this.headsAfter(select),
      findRecords: async (kind, find) => this.#findRecords(kind, find),
      nextDue: () => this.nextDue(),
      counts: async () => ({ seq: db.head.seq, counts: [...db.counts.entries()] }),
    }
  }

  #outbox() {
    const closed = [...this.#db.rows.values()].map((row) => ({
      record: JSON.parse(row.body),
      found: { closed: row } as FoundOutbox,
    }))
    const open = [...this.#db.jobs.values()].flatMap((job) =>
      decodeJob(job).aggregate.outbox.map((record) => ({
        record,
        found: { job, outbox_id: record.outbox_id } as FoundOutbox,
      })),
    )
    return [...closed, ...open]
  }

  /** As on a disk: whoever takes work sees it a while before it is said to be durable. */
  async #lasting(written: Written, onSeen: OnSeen | undefined): Promise<Written> {
    if (onSeen?.() === true) await this.#turn()
    return written
  }

  #write(set: WriteSet): Written {
    if (this.#loses()) throw new Conflict('as it was told')
    return this.#db.write(set, this.#listener)
  }
}

function those<T>(rows: readonly (T | undefined)[]): T[] {
  return rows.filter((row) => row !== undefined)
}

type AnyRecord = Parameters<typeof changedAt>[0]

function sorted<T>(
  all: readonly T[],
  { tenant_id, where, changedFrom, changedBefore, order, isDescending, after, limit }: Find,
  of: (item: T) => { readonly record: AnyRecord; readonly id: string },
): readonly T[] {
  const sign = isDescending ? -1 : 1
  const query = { kind: 'job' as RecordKind, where, changedFrom, changedBefore } as FindQuery
  return all
    .filter((item) => tenant_id === undefined || of(item).record.tenant_id === tenant_id)
    .filter((item) => matchesFind(of(item).record, query))
    .map((item): { readonly item: T; readonly place: Place } => {
      const { record, id } = of(item)
      return {
        item,
        place: { at: order === 'changed' ? changedAt(record) : 0, tenant_id: record.tenant_id, id },
      }
    })
    .filter(({ place }) => after === null || sign * comparePlaces(place, after) > 0)
    .sort((a, b) => sign * comparePlaces(a.place, b.place))
    .slice(0, limit)
    .map(({ item }) => item)
}
