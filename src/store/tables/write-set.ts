import type { AloneRecord, JobAggregate } from '../../core/aggregate.ts'
import type { Claim } from '../../core/decision.ts'
import { Birth } from '../../core/job/birth.ts'
import type { OutboxRecord, Ready } from '../../core/job/record.ts'
import { Stride } from '../../core/job/stride.ts'
import { fromIso } from '../../core/time.ts'
import type { Work } from '../live/work-index.ts'
import { changedAt } from '../query.ts'
import { type BirthRun, claimOf, readyKeyOf, runsOf } from './birth-runs.ts'
import { bornRow, FIRST_VERSION } from './born-row.ts'
import type { Cell } from './cell.ts'
import { encodeChunk } from './entry-codec.ts'
import { changedAtOf, hasEnded, stateOf, workOf } from './glance.ts'
import { type BornJob, encodeBorn, encodeMoving } from './job-codec.ts'
import { LoneSet } from './lone-set.ts'
import { movingOf } from './moving-text.ts'
import { type StrideRun, StrideRuns } from './stride-runs.ts'
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
  const lone = space.since === null ? null : loneOf(space)
  if (lone !== null && delivered.length + inbox.length === 0)
    return new LoneSet(lone, space.slots.writes(space.now))
  const rows = new Rows()
  rows.addBirths(space.bornAlone())
  space.forEachCell((cell) => {
    if (cell.isChanged) rows.add(cell)
  })
  const runs = rows.bear()
  const strides = rows.moveOn()
  const refusals = space.refusals
    .told()
    .map(({ key, job_id, from, count }) => ({ ...key, job_id, from, count }))
  const slots = space.slots.writes(space.now)
  const { told, births, signals } = space
  const claims = [...space.claims, ...claimsBeside(runs, births)]
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
    runs,
    strides,
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

/** The one new job that all of it is about; null when there is more to it. */
function loneOf(space: Workspace): Birth | null {
  const { births, told, signals, seen } = space
  const [birth] = births
  if (birth === undefined || births.length > 1 || space.bornAlone().length !== 1) return null
  if (told.length + signals.length + seen.size + space.claims.length > 0) return null
  let isAlone = true
  space.forEachCell(({ isChanged }) => {
    if (isChanged) isAlone = false
  })
  return isAlone ? birth : null
}

/** Of those that were born and are in no run. */
function claimsBeside(runs: readonly BirthRun[], births: readonly Birth[]): readonly Claim[] {
  const inRuns = runs.reduce((sum, run) => sum + run.births.length, 0)
  if (inRuns === births.length) return []
  const known = new Set(runs.flatMap((run) => run.births))
  return births.filter((birth) => !known.has(birth)).map(claimOf)
}

class Rows {
  readonly newJobs: NewJob[] = []
  readonly jobs: ChangedJob[] = []
  readonly records: ChangedRecord[] = []
  readonly ready = { adds: [] as ReadyKey[], drops: [] as ReadyKey[] }
  readonly due = { adds: [] as DueKey[], drops: [] as DueKey[] }
  readonly waits = { adds: [] as WaitKey[], drops: [] as WaitKey[] }
  /** Jobs that are as they were born, or went on as others did. */
  readonly #births: Birth[] = []
  readonly #gone = new Map<Birth, Cell>()

  readonly #strides = new StrideRuns()
  #hasStrides = false

  get isEmpty(): boolean {
    const { newJobs, jobs, records } = this
    return newJobs.length + jobs.length + records.length + this.#births.length === 0 && !this.#hasStrides
  }

  addBirths(births: readonly Birth[]): void {
    for (const birth of births) this.#births.push(birth)
  }

  add(cell: Cell): void {
    if (cell.now instanceof Birth) this.#births.push(cell.now)
    else if (cell.stored.key.kind === 'job') this.#addJob(cell)
    else this.records.push(recordRow(cell))
  }

  /** Those that were born have a row each, but for those that are alike. Answers these. */
  bear(): readonly BirthRun[] {
    if (this.#births.length === 0) return []
    const { runs, left } = runsOf(this.#births)
    for (const birth of left) this.#addBorn(birth, this.#gone.get(birth))
    if (this.#gone.size === 0) return runs
    for (const { births } of runs) {
      for (const birth of births) {
        const cell = this.#gone.get(birth)
        if (cell !== undefined) this.#addStride(cell, cell.now as Stride)
      }
    }
    return runs
  }

  /** Those that went on as others did, of which few went the same way, have a row each. Answers the others. */
  moveOn(): readonly StrideRun[] {
    if (!this.#hasStrides) return []
    const { runs, left } = this.#strides.end()
    for (const cell of left) this.#addRow(cell)
    return runs
  }

  #addJob(cell: Cell): void {
    const { stored, now } = cell
    if (stored.aggregate !== null) {
      if (now instanceof Stride) this.#addStride(cell, now)
      else this.#addRow(cell)
    } else if (now instanceof Stride) {
      this.#births.push(now.birth)
      this.#gone.set(now.birth, cell)
    } else this.#addNew(cell, now as JobAggregate)
  }

  #addStride(cell: Cell, stride: Stride): void {
    if (this.#strides.add(cell, stride)) this.#hasStrides = true
    else this.#addRow(cell)
  }

  /** A job that was there before, or was born with others a moment ago. */
  #addRow(cell: Cell): void {
    const { stored } = cell
    const now = cell.now as JobAggregate
    const columns = columnsOf(cell)
    if (stored.aggregate === null) {
      const { birth } = now as Stride
      this.jobs.push({ ...columns, from: FIRST_VERSION, moving: movingOf(now as Stride) })
      this.#index(columns, workOf(birth), workOf(now))
      return
    }
    const moving = now instanceof Stride ? movingOf(now) : (encodeMoving(now, stored.born as BornJob) ?? '{}')
    this.jobs.push({ ...columns, from: stored.version, moving })
    this.#index(columns, workOf(stored.aggregate as JobAggregate), workOf(now))
  }

  /** One that was born by itself, and perhaps went on. */
  #addBorn(birth: Birth, cell: Cell | undefined): void {
    if (cell === undefined) {
      this.newJobs.push(bornRow(birth))
      this.ready.adds.push(readyKeyOf(birth))
      return
    }
    const stride = cell.now as Stride
    const columns = columnsOf(cell)
    this.newJobs.push({ ...bornRow(birth), ...columns, moving: movingOf(stride) })
    this.#index(columns, null, workOf(stride))
  }

  #addNew(cell: Cell, now: JobAggregate): void {
    const columns = columnsOf(cell)
    const { request_type, protocol_id, doc_id, run_id, workstream_id } = now.job
    const born = { job: now.job, steps: now.steps }
    const texts = { fixed: encodeBorn(born), moving: encodeMoving(now, born) }
    const row = { ...columns, ...texts, request_type, protocol_id, doc_id, run_id, workstream_id }
    this.newJobs.push(row)
    cell.row = row
    this.#index(columns, null, workOf(now))
  }

  /** Work is found by rows of its own. Only what changes is touched. */
  #index(
    { tenant_id, job_id }: Pick<NewJob, 'tenant_id' | 'job_id'>,
    before: Work | null,
    { ready, due_at, waits_for }: Work,
  ): void {
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

function columnsOf({ stored, now, version, holds, isTold }: Cell): Omit<ChangedJob, 'from' | 'moving'> {
  const { tenant_id, id: job_id } = stored.key
  const job = now as JobAggregate
  return {
    tenant_id,
    job_id,
    version,
    holds,
    isTold,
    state: stateOf(job),
    changed_at: changedAtOf(job),
    is_ended: hasEnded(job),
    open_rows: job.outbox.length,
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
