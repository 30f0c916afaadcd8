// What the tables of a database hold, in memory.
import assert from 'node:assert/strict'
import { nameOfKey, type RecordKey } from '../../src/core/aggregate.ts'
import type { Claim } from '../../src/core/decision.ts'
import { StateCounts } from '../../src/store/live/state-counts.ts'
import { inRows } from '../../src/store/tables/in-rows.ts'
import type { NewChunk } from '../../src/store/tables/log-parts.ts'
import { refusalName } from '../../src/store/tables/missing.ts'
import {
  type ClosedRow,
  Conflict,
  type DueKey,
  type Head,
  type JobRow,
  type ReadyKey,
  type RecordRow,
  type RefusalWrite,
  type SlotRow,
  type WaitKey,
  type WriteSet,
  type Written,
} from '../../src/store/tables/tables.ts'
import type { FormedPart } from '../../src/store/tables/tail/part-forms.ts'
import { partText, setIn } from '../../src/store/tables/tail/part-text.ts'
import { Awaited, type Mark, Moved, type Part } from '../../src/store/tables/tail/tail.ts'
import { wholePart } from './whole-part.ts'

/** A write as it was read, and as it was sent: what is only looked at while it is written is not in the text. */
function mustBeTheSame(read: WriteSet, sent: WriteSet): void {
  const told = ({
    newJobs,
    jobs,
    records,
    rows,
    ready,
    due,
    claims,
    slots,
    counts,
    chunk,
    at,
  }: WriteSet) => ({
    newJobs,
    jobs,
    records,
    rows,
    ready,
    due,
    claims,
    slots: slots.map(({ tenant_id, key, add, named }) => ({ tenant_id, key, add, named })),
    counts,
    chunk,
    at,
  })
  assert.deepEqual(told(read), told(sent))
}

type StoredJob = JobRow & { readonly doc_id: string | null; readonly log: readonly number[] }
type StoredRecord = RecordRow & { readonly log: readonly number[] }
type StoredRefusal = RefusalWrite & { readonly log: readonly number[] }
type StoredChunk = NewChunk & { readonly first_seq: number }

/** What the database holds. Everything is replaced, never changed, so that a write that fails leaves no trace. */
export class MemoryDatabase {
  jobs = new Map<string, StoredJob>()
  records = new Map<string, StoredRecord>()
  rows = new Map<string, ClosedRow>()
  ready = new Map<string, ReadyKey>()
  due = new Map<string, DueKey>()
  waits = new Map<string, WaitKey>()
  owed: { readonly id: number; readonly tenant_id: string; readonly job_id: string }[] = []
  claims = new Map<string, Claim>()
  slots = new Map<string, SlotRow>()
  refusals = new Map<string, StoredRefusal>()
  chunks: StoredChunk[] = []
  counts = new StateCounts()
  head: Head = { seq: 0, at: 0, records: 0, removed: 0 }
  nextOwed = 1
  readonly locked = new Set<string>()
  readonly listeners = new Set<() => void>()

  /** Forms of parts. */
  readonly forms = new Map<number, string>()

  /** Writes that are not where they are found. */
  tail: (Part & { readonly written: WriteSet })[] = []
  turn = 0

  /** All of it or nothing. The one who writes is not told of it. */
  write(set: WriteSet, writer: (() => void) | null): Written {
    this.foldAll()
    const written = this.#put(set)
    this.turn++
    if (set.isNews) for (const listener of this.listeners) if (listener !== writer) listener()
    return { ...written, turn: this.turn }
  }

  /** The same at the end of the log. */
  append(set: WriteSet, after: Mark, writer: (() => void) | null): Written {
    const end = this.end()
    if (end.turn !== after.turn || end.seq !== after.seq) throw new Moved('somebody has written')
    const isClaimed = inRows(set).claims.some(({ tenant_id, key }) =>
      this.claims.has(pairName(tenant_id, key)),
    )
    if (isClaimed) throw new Conflict('a claim')
    const waited = new Set([...this.waits.values()].map(({ tenant_id, topic }) => pairName(tenant_id, topic)))
    if (set.signals.some(({ tenant_id, topic }) => waited.has(pairName(tenant_id, topic))))
      throw new Awaited('a signal')
    // As whoever reads it finds it; and as it was, to be held against what is there by the time that it is put there.
    const read = setIn(partText(set, set.chunk as NewChunk))
    this.tail.push({ first_seq: end.seq + 1, set: read, written: inRows(set) })
    if (set.isNews) for (const listener of this.listeners) if (listener !== writer) listener()
    return { head: this.endHead(), owes: false, turn: this.turn }
  }

  /** What a part says by its form is what it would say as a whole. */
  mustSay(set: WriteSet, { form, own }: FormedPart): void {
    const kept = this.forms.get(form.id)
    assert(kept !== undefined, 'the form is kept before it is used')
    assert.equal(wholePart(kept, own), partText(set, set.chunk as NewChunk))
  }

  end(): Mark {
    return { turn: this.turn, seq: this.endHead().seq }
  }

  endHead(): Head {
    const places = this.tail.reduce((sum, { set }) => sum + (set.chunk?.places ?? 0), 0)
    const at = Math.max(this.head.at, ...this.tail.map(({ set }) => set.at))
    return { ...this.head, seq: this.head.seq + places, records: this.head.records + places, at }
  }

  foldAll(): void {
    while (this.tail.length > 0) this.fold()
  }

  /** Whatever was let in at the end has to be as it was read by then. */
  fold(): void {
    const [first, ...rest] = this.tail
    if (first === undefined) return
    this.#put(first.written)
    mustBeTheSame(first.set, first.written)
    this.tail = rest
  }

  #put(set: WriteSet): Written {
    this.#mustBeAsRead(set)
    const chunk = set.chunk === null ? null : this.head.seq + 1
    const logged = (log: readonly number[], isTold: boolean) =>
      isTold && chunk !== null ? [...log, chunk] : log
    for (const { isTold, ...row } of set.newJobs) {
      this.jobs.set(jobName(row.tenant_id, row.job_id), { ...row, log: logged([], isTold) })
    }
    for (const { tenant_id, job_id, version, holds, moving, isTold } of set.jobs) {
      const before = this.jobs.get(jobName(tenant_id, job_id)) as StoredJob
      const log = logged(before.log, isTold)
      this.jobs.set(jobName(tenant_id, job_id), { ...before, version, holds, moving, log })
    }
    for (const { isTold, ...row } of set.records) {
      const name = nameOfKey(row)
      this.records.set(name, { ...row, log: logged(this.records.get(name)?.log ?? [], isTold) })
    }
    for (const row of set.rows) this.rows.set(pairName(row.tenant_id, row.outbox_id), row)
    for (const key of set.ready.drops) this.ready.delete(JSON.stringify(Object.values(key)))
    for (const key of set.ready.adds) this.ready.set(JSON.stringify(Object.values(key)), key)
    for (const key of set.due.drops) this.due.delete(JSON.stringify(Object.values(key)))
    for (const key of set.due.adds) this.due.set(JSON.stringify(Object.values(key)), key)
    for (const key of set.waits.drops) this.waits.delete(JSON.stringify(Object.values(key)))
    for (const key of set.waits.adds) this.waits.set(JSON.stringify(Object.values(key)), key)
    for (const claim of set.claims) this.claims.set(pairName(claim.tenant_id, claim.key), claim)
    for (const { tenant_id, key, add, named } of set.slots) {
      const before = this.slots.get(pairName(tenant_id, key)) ?? {
        tenant_id,
        key,
        version: 0,
        counted: 0,
        named: [],
      }
      const changed = named === null ? {} : { named, version: before.version + 1 }
      this.slots.set(pairName(tenant_id, key), { ...before, ...changed, counted: before.counted + add })
    }
    for (const row of set.refusals) {
      const log = logged(this.refusals.get(refusalName(row))?.log ?? [], true)
      this.refusals.set(refusalName(row), { ...row, log })
    }
    this.owed = this.owed.filter(({ id }) => !set.delivered.includes(id))
    const owed = this.nextOwed
    for (const { tenant_id, topic } of set.signals) {
      for (const wait of this.waits.values()) {
        if (wait.tenant_id === tenant_id && wait.topic === topic)
          this.owed.push({ id: this.nextOwed++, tenant_id, job_id: wait.job_id })
      }
    }
    for (const { tenant_id, kind, state, n } of set.counts) this.counts.add(tenant_id, kind, state, n)
    const places = set.chunk?.places ?? 0
    if (set.chunk !== null) this.chunks.push({ ...set.chunk, first_seq: this.head.seq + 1 })
    this.head = {
      seq: this.head.seq + places,
      at: Math.max(this.head.at, set.at),
      records: this.head.records + places,
      removed: 0,
    }
    return { head: this.head, owes: this.nextOwed > owed }
  }

  #mustBeAsRead(set: WriteSet): void {
    const version = (key: RecordKey) =>
      (key.kind === 'job' ? this.jobs : this.records).get(nameOfKey(key))?.version ?? 0
    const same = (isSame: boolean, what: string) => {
      if (!isSame) throw new Conflict(what)
    }
    for (const { tenant_id, job_id } of set.newJobs) same(!this.jobs.has(jobName(tenant_id, job_id)), job_id)
    for (const { tenant_id, job_id, from } of set.jobs)
      same(version({ kind: 'job', tenant_id, id: job_id }) === from, job_id)
    for (const row of set.records) same(version(row) === row.from, row.id)
    for (const key of set.verify) same(version(key) === key.version, key.id)
    for (const { tenant_id, key } of set.claims) same(!this.claims.has(pairName(tenant_id, key)), key)
    for (const { tenant_id, key, most, named, from } of set.slots) {
      const row = this.slots.get(pairName(tenant_id, key))
      same(most === null || (row?.counted ?? 0) <= most, key)
      same(named === null || (row?.version ?? 0) === from, key)
    }
    for (const row of set.refusals)
      same((this.refusals.get(refusalName(row))?.count ?? 0) === row.from, row.id)
  }
}

export function jobName(tenant_id: string, id: string): string {
  return nameOfKey({ kind: 'job', tenant_id, id })
}

export function pairName(a: string, b: string): string {
  return `${a}\n${b}`
}
