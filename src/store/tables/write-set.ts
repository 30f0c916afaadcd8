import { type AloneRecord, isAtRest, type JobAggregate } from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import type { JobRecord, OutboxRecord } from '../../core/job/record.ts'
import { fromIso } from '../../core/time.ts'
import { changedAt } from '../query.ts'
import { bornRow } from './born-row.ts'
import type { Cell } from './cell.ts'
import { encodeChunk } from './entry-codec.ts'
import { type BornJob, encodeBorn, encodeMoving } from './job-codec.ts'
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
  const { entries, births, claims, signals } = space
  const isTold = entries.length + births.length > 0
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
    chunk: isTold ? encodeChunk(entries, births) : null,
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
    if (cell.now instanceof Birth) this.#addBirth(cell, cell.now)
    else if (cell.stored.key.kind === 'job') this.#addJob(cell)
    else this.records.push(recordRow(cell))
  }

  /** As it was born: nobody has looked at it, or changed anything. */
  #addBirth(cell: Cell, birth: Birth): void {
    const { tenant_id, job_id } = birth
    const { queue, group, rank } = birth.ready
    const row = bornRow(birth)
    this.newJobs.push(row)
    cell.row = row
    this.ready.adds.push({ queue, tenant_id, group, rank, job_id })
  }

  #addJob(cell: Cell): void {
    const { stored, version, holds, isTold } = cell
    const now = cell.now as JobAggregate
    const { tenant_id, job_id } = now.job
    const state = now.job.state
    const changed_at = changedAt(now.job)
    const is_ended = isAtRest(now.job)
    const open_rows = now.outbox.length
    if (stored.aggregate === null) {
      const { request_type, protocol_id, doc_id, run_id, workstream_id } = now.job
      const born = { job: now.job, steps: now.steps }
      const fixed = encodeBorn(born)
      const moving = encodeMoving(now, born)
      const row = {
        tenant_id,
        job_id,
        version,
        holds,
        fixed,
        moving,
        isTold,
        state,
        changed_at,
        is_ended,
        open_rows,
        request_type,
        protocol_id,
        doc_id,
        run_id,
        workstream_id,
      }
      this.newJobs.push(row)
      cell.row = row
    } else {
      const moving = encodeMoving(now, stored.born as BornJob) ?? '{}'
      this.jobs.push({
        tenant_id,
        job_id,
        version,
        from: stored.version,
        holds,
        moving,
        isTold,
        state,
        changed_at,
        is_ended,
        open_rows,
      })
    }
    this.#index((stored.aggregate as JobAggregate | null)?.job ?? null, now.job)
  }

  /** Work is found by rows of its own. Only what changes is touched. */
  #index(before: JobRecord | null, { tenant_id, job_id, ready, due_at, waits_for }: JobRecord): void {
    const was = before?.ready ?? null
    const isSamePlace =
      was !== null &&
      ready !== null &&
      was.queue === ready.queue &&
      was.group === ready.group &&
      was.rank === ready.rank
    if (!isSamePlace) {
      const key = ({ queue, group, rank }: NonNullable<JobRecord['ready']>) => ({
        queue,
        tenant_id,
        group,
        rank,
        job_id,
      })
      if (was !== null) this.ready.drops.push(key(was))
      if (ready !== null) this.ready.adds.push(key(ready))
    }
    const wasDue = before?.due_at ?? null
    if (wasDue !== due_at) {
      if (wasDue !== null) this.due.drops.push({ due_at: fromIso(wasDue), tenant_id, job_id })
      if (due_at !== null) this.due.adds.push({ due_at: fromIso(due_at), tenant_id, job_id })
    }
    const waited = before?.waits_for ?? []
    if (waited === waits_for) return
    for (const topic of new Set(waited)) {
      if (!waits_for.includes(topic)) this.waits.drops.push({ tenant_id, topic, job_id })
    }
    for (const topic of new Set(waits_for)) {
      if (!waited.includes(topic)) this.waits.adds.push({ tenant_id, topic, job_id })
    }
  }
}

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
