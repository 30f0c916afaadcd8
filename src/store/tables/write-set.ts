import type { AloneRecord, JobAggregate } from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import type { OutboxRecord, Ready } from '../../core/job/record.ts'
import { Stride } from '../../core/job/stride.ts'
import { fromIso } from '../../core/time.ts'
import type { Work } from '../live/work-index.ts'
import { changedAt } from '../query.ts'
import { bornRow } from './born-row.ts'
import type { Cell, StoredCell } from './cell.ts'
import { encodeChunk } from './entry-codec.ts'
import { changedAtOf, hasEnded, stateOf, workOf } from './glance.ts'
import { type BornJob, encodeBorn, encodeMoving } from './job-codec.ts'
import { movingOf } from './moving-text.ts'
import type {
  ChangedJob,
  ChangedRecord,
  ClosedRow,
  DueKey,
  NewJob,
  ReadyKey,
  WaitKey,
  WriteSet,
} from './tables.ts'
import type { Workspace } from './workspace.ts'

/** What led to the decisions, and is done with. */
interface Done {
  readonly delivered?: readonly number[]
  readonly inbox?: WriteSet['inbox']
}

/** Everything that a group of decisions came to, as rows; null when there is nothing to write. */
export function writeSetOf(space: Workspace, { delivered = [], inbox = [] }: Done = {}): WriteSet | null {
  const rows = new Rows()
  space.forEachCell((cell) => {
    if (cell.isChanged) rows.add(cell)
  })
  const refusals = space.refusals
    .told()
    .map(({ key, job_id, from, count }) => ({ ...key, job_id, from, count }))
  const slots = space.slots.writes(space.now)
  const { told, births, claims, signals } = space
  const isTold = told.length + births.length > 0
  const isEmpty =
    rows.isEmpty &&
    !isTold &&
    claims.length === 0 &&
    slots.length === 0 &&
    signals.length === 0 &&
    delivered.length === 0 &&
    inbox.length === 0
  if (isEmpty) return null
  return {
    newJobs: rows.newJobs,
    jobs: rows.jobs,
    records: rows.records,
    rows: [...space.rows.closed.values()].map(closedRow),
    ready: rows.ready,
    due: rows.due,
    waits: rows.waits,
    claims,
    slots,
    refusals,
    signals,
    delivered,
    verify: space.verify().map(({ stored }) => ({ ...stored.key, version: stored.version })),
    counts: [...space.counts.entries()],
    chunk: isTold ? encodeChunk(told, births) : null,
    inbox,
    at: space.now,
    isNews: space.isNews,
  }
}

class Rows {
  readonly newJobs: NewJob[] = []
  readonly jobs: ChangedJob[] = []
  readonly records: ChangedRecord[] = []
  readonly ready = { adds: [] as ReadyKey[], drops: [] as ReadyKey[] }
  readonly due = { adds: [] as DueKey[], drops: [] as DueKey[] }
  readonly waits = { adds: [] as WaitKey[], drops: [] as WaitKey[] }

  get isEmpty(): boolean {
    return this.newJobs.length === 0 && this.jobs.length === 0 && this.records.length === 0
  }

  add(cell: Cell): void {
    if (cell.now instanceof Birth) this.#addBirth(cell.now)
    else if (cell.stored.key.kind === 'job') this.#addJob(cell)
    else this.records.push(recordRow(cell))
  }

  /** As it was born: nobody has looked at it, or changed anything. */
  #addBirth(birth: Birth): void {
    const { tenant_id, job_id } = birth
    const { queue, group, rank } = birth.ready
    this.newJobs.push(bornRow(birth))
    this.ready.adds.push({ queue, tenant_id, group, rank, job_id })
  }

  #addJob(cell: Cell): void {
    const { stored, version, holds, isTold } = cell
    const now = cell.now as JobAggregate
    const { tenant_id, id: job_id } = stored.key
    const columns = {
      tenant_id,
      job_id,
      version,
      holds,
      isTold,
      state: stateOf(now),
      changed_at: changedAtOf(now),
      is_ended: hasEnded(now),
      open_rows: now.outbox.length,
    }
    if (now instanceof Stride) this.#addStride(stored, now, columns)
    else if (stored.aggregate === null) {
      const { request_type, protocol_id, doc_id, run_id, workstream_id } = now.job
      const born = { job: now.job, steps: now.steps }
      const texts = { fixed: encodeBorn(born), moving: encodeMoving(now, born) }
      const row = { ...columns, ...texts, request_type, protocol_id, doc_id, run_id, workstream_id }
      this.newJobs.push(row)
      cell.row = row
    } else {
      const moving = encodeMoving(now, stored.born as BornJob) ?? '{}'
      this.jobs.push({ ...columns, from: stored.version, moving })
    }
    this.#index(stored, workOf(now))
  }

  /** One that went on as others did; perhaps it was born a moment ago. */
  #addStride(stored: StoredCell, stride: Stride, columns: Omit<ChangedJob, 'from' | 'moving'>): void {
    const moving = movingOf(stride)
    if (stored.aggregate === null) this.newJobs.push({ ...bornRow(stride.birth), ...columns, moving })
    else this.jobs.push({ ...columns, from: stored.version, moving })
  }

  /** Work is found by rows of its own. Only what changes is touched. */
  #index(
    { key: { tenant_id, id: job_id }, aggregate }: StoredCell,
    { ready, due_at, waits_for }: Work,
  ): void {
    const before = aggregate === null ? null : workOf(aggregate as JobAggregate)
    const was = before?.ready ?? null
    const isSamePlace =
      was !== null &&
      ready !== null &&
      was.queue === ready.queue &&
      was.group === ready.group &&
      was.rank === ready.rank
    if (!isSamePlace) {
      const key = ({ queue, group, rank }: Ready) => ({ queue, tenant_id, group, rank, job_id })
      if (was !== null) this.ready.drops.push(key(was))
      if (ready !== null) this.ready.adds.push(key(ready))
    }
    const wasDue = before?.due_at ?? null
    if (wasDue !== due_at) {
      if (wasDue !== null) this.due.drops.push({ due_at: fromIso(wasDue), tenant_id, job_id })
      if (due_at !== null) this.due.adds.push({ due_at: fromIso(due_at), tenant_id, job_id })
    }
    const waited = before?.waits_for ?? NOTHING
    if (waited === waits_for || waited.length + waits_for.length === 0) return
    for (const topic of new Set(waited)) {
      if (!waits_for.includes(topic)) this.waits.drops.push({ tenant_id, topic, job_id })
    }
    for (const topic of new Set(waits_for)) {
      if (!waited.includes(topic)) this.waits.adds.push({ tenant_id, topic, job_id })
    }
  }
}

const NOTHING: readonly string[] = Object.freeze([])

function recordRow(cell: Cell): ChangedRecord {
  const { stored, version, isTold } = cell
  const record = cell.now as AloneRecord
  return {
    ...(stored.key as ChangedRecord),
    version,
    from: stored.version,
    body: JSON.stringify(record),
    state: record.state,
    changed_at: changedAt(record),
    adapter: record.kind === 'document' ? record.adapter : null,
    run_id: record.kind === 'workstream' ? record.run_id : null,
    isTold,
  }
}

export function closedRow(row: OutboxRecord): ClosedRow {
  const { tenant_id, outbox_id, job_id, step_id, state } = row
  return {
    tenant_id,
    outbox_id,
    job_id,
    step_id,
    state,
    changed_at: changedAt(row),
    body: JSON.stringify(row),
  }
}
