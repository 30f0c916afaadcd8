// What follows once a change is decided: rows for lists and tools, the line in the log that says so, and after that
// whatever was locked or is no longer true. All of it is owed by the row that decided, and can be done by anybody, twice.
import type { JobAggregate } from '../../core/aggregate.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import {
  type AzureCell,
  type CellMeta,
  type JobMeta,
  type LastChange,
  type Logged,
  type Owed,
  type Receipt,
  withJobsEtag,
} from './azure-cell.ts'
import { fittedRow, type NextRow, rewritten, stepRowKey } from './cell-rows.ts'
import type { CellStore } from './cell-store.ts'
import type { Engine } from './engine.ts'
import { byRecord, eventsKey } from './event-rows.ts'
import { type Lane, type LaneEntry, LaneLost } from './lane.ts'
import { indexRows, laneKey, markerKey, signalKey } from './lane-rows.ts'
import { latest } from './lane-write.ts'
import type { Lanes } from './lanes.ts'
import { whole } from './long-columns.ts'
import { isLogPut } from './plan.ts'
import type { Projections } from './projections.ts'
import type { Receipts } from './receipts.ts'
import type { RowWrite } from './service.ts'
import { INDEX } from './table-names.ts'
import { wholeJob } from './whole-job.ts'

/** One of the aggregates of a change that is decided, as it is to be. */
export interface DecidedCell {
  readonly cell: AzureCell
  readonly isNew: boolean
  /** A job that had not ended before, as far as is known. */
  readonly wasOpen: boolean
  /** Directives that it did not have before. */
  readonly newRows: readonly OutboxRecord[]
}

export interface LockedCell extends DecidedCell {
  /** Of its row while it is locked. */
  readonly etag: string
  /** Its rows when it is not locked any more. */
  readonly rows: readonly NextRow[]
  /** It is only held as it is. */
  readonly isHeld: boolean
  /** Its row before it was locked. */
  readonly was: NextRow
}

export interface Decided {
  readonly change: LastChange
  /** The lane that it was decided with, as long as it is this process's; null for a change of somebody else. */
  readonly lane: Lane | null
  /** The one that decided, as it is written. */
  readonly by: DecidedCell
  readonly others: readonly LockedCell[]
  /** Something was noted in the lane before, for the case that nobody would come back. */
  readonly isMarked: boolean
}

export interface Finished {
  /** Null when somebody else sees to it, or has: then nothing else of this is known to be so. */
  readonly receipt: Receipt | null
  readonly by: AzureCell
  /** Those that are known to be as they were written. */
  readonly others: readonly AzureCell[]
  /** Of the outbox rows that were closed, in their order. */
  readonly closedEtags: readonly string[]
}

const MOST_TRIES = 100

export interface FinishingParts {
  readonly cells: CellStore
  readonly lanes: Lanes
  readonly projections: Projections
  readonly receipts: Receipts
}

export class Finishing {
  readonly #engine: Engine
  readonly #cells: CellStore
  readonly #lanes: Lanes
  readonly #projections: Projections
  readonly #receipts: Receipts

  constructor(engine: Engine, parts: FinishingParts) {
    this.#engine = engine
    this.#cells = parts.cells
    this.#lanes = parts.lanes
    this.#projections = parts.projections
    this.#receipts = parts.receipts
  }

  async finish(decided: Decided): Promise<Finished> {
    const { change, by, others } = decided
    this.#engine.time.saw(change.owed.at)
    this.#engine.time.sawLine(change.owed.afterAt)
    const changed = [by, ...others.filter(({ isHeld }) => !isHeld)]
    const [jobsEtags, closedEtags] = await this.#project(change, changed)
    const told = await this.#tell(decided, jobsEtags)
    // Before there is a line nothing is unlocked: whoever writes it has to find it locked.
    if (told === null)
      return { receipt: null, by: by.cell, others: others.map(({ cell }) => cell), closedEtags }
    const { receipt, moved } = told
    const [unlocked] = await Promise.all([
      Promise.all(others.map((other) => this.unlock(other, receipt))),
      this.#dropElsewhere(moved.change),
    ])
    const withEtag = (cell: AzureCell) => ({ ...withJobsEtag(cell, jobsEtags.get(cell.ref.pk)), receipt })
    return {
      receipt,
      by: withEtag(moved.by.cell),
      others: unlocked.filter((cell) => cell !== null).map(withEtag),
      closedEtags,
    }
  }

  async #project(
    { id, owed }: LastChange,
    changed: readonly DecidedCell[],
  ): Promise<readonly [ReadonlyMap<string, string>, readonly string[]]> {
    const logs = changed.flatMap(({ cell }) =>
      cell.aggregate !== null && isLogPut({ now: cell.aggregate, meta: cell.meta }) ? cell.meta.log : [],
    )
    const own = new Set(changed.map(({ cell }) => eventsKey(cell.key)))
    const elsewhere = [...byRecord(owed.told)].flatMap(([pk, logged]) => (own.has(pk) ? [] : logged))
    const to = this.#projections
    const [jobs, closed] = await Promise.all([
      Promise.all(changed.flatMap((one) => (isJob(one.cell) ? [this.#putJob(one)] : []))),
      to.closeOutbox(owed.closed),
      to.addOutbox(changed.flatMap(({ newRows }) => newRows)),
      Promise.all(changed.map(({ cell }) => this.#putLateSteps(cell))),
      to.putEvents(logs),
      to.putEvents(elsewhere, id),
      to.countRefusals(owed.refusals),
      to.putMembers(owed.members),
      to.remove(owed.releases),
      to.confirm(id, owed.confirms),
      Promise.all(owed.handovers.map((handover) => to.handOver(handover))),
    ])
    return [new Map(jobs), closed]
  }

  async #putJob({ cell, isNew, wasOpen }: DecidedCell): Promise<readonly [pk: string, etag: string]> {
    const { job } = cell.aggregate as JobAggregate
    const { jobsPk: pk, jobsEtag: etag } = cell.meta.job as JobMeta
    const recordEtag = cell.meta.recordEtag ?? (cell.etag as string)
    const row = { job, version: cell.version, recordEtag, pk, etag, isNew, wasOpen }
    return [cell.ref.pk, await this.#projections.putJob(row)]
  }

  async #putLateSteps({ ref, meta }: AzureCell): Promise<void> {
    const steps = meta.job?.late ?? []
    if (steps.length > 0) await this.#projections.putLateSteps(ref, { steps })
  }

  /**
   * Writes the line. If the lane was lost in between, another one is to have it, and the row that decided says so first. Null
   * when somebody else sees to it.
   */
  async #tell(
    decided: Decided,
    jobsEtags: ReadonlyMap<string, string>,
  ): Promise<{ readonly receipt: Receipt; readonly moved: Decided } | null> {
    let moved = decided
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lane = await this.#lanes.mine()
      // A lane that was lost and is had again is another one: in between, somebody may have finished it there.
      if (lane !== moved.lane) {
        const next = await this.#move(moved, lane)
        if (next === null) return null
        moved = next
      }
      try {
        const receipt = await lane.write(laneEntry(moved, lane.number, jobsEtags))
        this.#receipts.know(moved.change.id, receipt)
        return { receipt, moved }
      } catch (error) {
        if (!(error instanceof LaneLost)) throw error
      }
    }
    throw new LaneLost('every lane is fought over')
  }

  /** Another lane is to have the line; null when somebody else has written the row since. */
  async #move(decided: Decided, lane: Lane): Promise<Decided | null> {
    const { change, by } = decided
    const next = { ...change, lane: lane.number, from: lane.seq, owed: movedFrom(change, lane.number) }
    const { ref, etag } = by.cell
    const known = { ...by.cell.meta, last: next, recordEtag: by.cell.meta.recordEtag ?? etag }
    const meta = inLane(known, lane.number)
    const row = rewritten(by.cell, meta)
    const answer = await this.#engine.service.write(ref.table, ref.pk, [
      { verb: 'put', ...row, etag: etag as string },
    ])
    const moved = answer.ok
      ? (answer.etags[0] as string)
      : answer.unsure
        ? await this.#movedBy(by.cell, next)
        : null
    if (moved === null) return null
    const cell = { ...by.cell, meta, etag: moved }
    return { ...decided, change: next, lane, by: { ...by, cell } }
  }

  /** The answer was lost, and a second try found the first one there: its etag, if it was that. */
  async #movedBy({ key }: AzureCell, { id, lane, from }: LastChange): Promise<string | null> {
    const { etag, meta } = await this.#cells.read(key)
    const { last } = meta
    return last?.id === id && last.lane === lane && last.from === from ? etag : null
  }

  /**
   * The aggregate as it is to be; the index may be in another lane than was thought. Its row says which line told of it:
   * whoever reads it knows nothing of the row that decided. Null when somebody who could not wait has done it: what became
   * of it since is not known, and it may be part of another change by now.
   */
  async unlock(
    { cell, etag, rows, isHeld }: LockedCell,
    { lane, seq, at }: Receipt,
  ): Promise<AzureCell | null> {
    const { ref } = cell
    const meta = { ...inLane(cell.meta, lane), line: isHeld ? cell.meta.line : { lane, seq, at } }
    const writes = rows.map((row, n): RowWrite => {
      if (n > 0) return { verb: 'put', ...row }
      const { _job, _etag, ...columns } = whole(row.columns)
      const moved = meta.job === null ? null : { _job: JSON.stringify(meta.job) }
      const known = meta.recordEtag === null ? null : { _etag: meta.recordEtag }
      const told = meta.line === null ? null : { _line: JSON.stringify(meta.line) }
      return { verb: 'put', ...fittedRow(ref, { ...columns, ...moved, ...known, ...told }), etag }
    })
    const answer = await this.#engine.service.write(ref.table, ref.pk, writes)
    return answer.ok ? withEtags({ ...cell, meta }, writes, answer.etags) : null
  }

  async #dropElsewhere({ lane, owed }: LastChange): Promise<void> {
    const elsewhere = owed.drops.filter((row) => row.lane !== lane)
    await Promise.all(
      elsewhere.map((row) =>
        this.#engine.service.write(INDEX, laneKey(row.lane), [{ verb: 'delete', rk: row.rk }]),
      ),
    )
  }
}

function laneEntry(
  { change, by, others, isMarked }: Decided,
  lane: number,
  jobsEtags: ReadonlyMap<string, string>,
): LaneEntry {
  const { id, owed } = change
  const { log } = by.cell.meta
  const cells = [by.cell, ...others.flatMap(({ cell, isHeld }) => (isHeld ? [] : [cell]))]
  const jobs = cells.filter(isJob).flatMap((cell) => {
    const { job } = cell.aggregate as JobAggregate
    const known = withJobsEtag(cell, jobsEtags.get(cell.ref.pk))
    // While others are locked by it, whoever goes on with it has to read it: then they are freed first.
    const text = owed.others.length > 0 ? null : wholeJob(known)
    return indexRows({ job, version: cell.version, change: id, whole: text })
  })
  const signals = owed.signals.map((signal, n) => ({ rk: signalKey(`${id}-${n}`), columns: { ...signal } }))
  const marker = isMarked ? [markerKey(by.cell.ref)] : []
  return {
    change: id,
    entries: ordered([...log.slice(log.length - owed.own), ...owed.told], owed.order),
    touched: owed.touched,
    after: owed.after,
    jobs: Object.fromEntries(jobsEtags),
    counts: owed.counts,
    adds: [...jobs, ...signals],
    drops: [...owed.drops.filter((row) => row.lane === lane).map(({ rk }) => rk), ...marker],
  }
}

function ordered(told: readonly Logged[], order: Owed['order']): readonly Logged[] {
  if (order === null) return told
  const all: Logged[] = []
  for (const [n, place] of order.entries()) all[place] = told[n] as Logged
  return all
}

function isJob({ key }: AzureCell): boolean {
  return key.kind === 'job'
}

/** What was in the same lane before, and so came first by itself, is in another one then. */
function movedFrom({ lane, from, owed }: LastChange, to: number): Owed {
  return lane === to || from === 0 ? owed : { ...owed, after: latest(owed.after, { [lane]: from }) }
}

function inLane(meta: CellMeta, lane: number): CellMeta {
  if (meta.job === null || meta.job.index.lane === lane) return meta
  return { ...meta, job: { ...meta.job, index: { ...meta.job.index, lane } } }
}

/** The aggregate with the etags that its rows got, in place. */
export function withEtags(cell: AzureCell, writes: readonly RowWrite[], etags: readonly string[]): AzureCell {
  const written = new Map(writes.map(({ rk }, n) => [rk, etags[n] as string]))
  const etag = written.get(cell.ref.rk) as string
  const { aggregate, meta } = cell
  const give = (record: { etag: string }, given: string) => {
    if (!Object.isFrozen(record)) record.etag = given
  }
  if (aggregate !== null && meta.recordEtag === null)
    give('kind' in aggregate ? aggregate : aggregate.job, etag)
  if (aggregate !== null && !('kind' in aggregate)) {
    for (const row of aggregate.outbox) give(row, etag)
    const late = new Set(meta.job?.late.map(({ step_index }) => step_index))
    for (const step of aggregate.steps) {
      const own = late.has(step.step_index) ? etag : written.get(stepRowKey(step))
      if (own !== undefined) give(step, own)
    }
  }
  return { ...cell, etag }
}
