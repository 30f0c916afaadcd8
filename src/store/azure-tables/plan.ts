// What a decision came to, as everything that has to be written for it. One row decides: that of the job, if there is one.
// Everything else is put beside it before, so that it can be had, or follows from it afterwards.
import {
  type AloneRecord,
  idOf,
  isAtRest,
  isPartKind,
  type JobAggregate,
  type LedgerRecord,
  nameOfKey,
  type RecordKey,
} from '../../core/aggregate.ts'
import { type AuditEntry, isQuiet } from '../../core/audit.ts'
import type { Claim, Signal } from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import { changedAt } from '../query.ts'
import type { Aggregate, Cell } from '../tables/cell.ts'
import { keyOfEntry, ownerOf } from '../tables/cell-book.ts'
import { refusalName } from '../tables/missing.ts'
import type { Workspace } from '../tables/workspace.ts'
import {
  type AzureCell,
  type CellMeta,
  type IndexRow,
  type Logged,
  noCell,
  type Owed,
  type RowRef,
  refOf,
  sameRow,
  type Touched,
} from './azure-cell.ts'
import { type NextRow, newJobMeta } from './cell-rows.ts'
import { lastPlace, placeBetween, placed } from './line-columns.ts'
import { type Member, membersOf } from './members.ts'
import { type SlotPlan, slotPlan } from './slot-plan.ts'
import { subjectKey, waiterRef, waiterRow } from './waiters.ts'

/** One aggregate that is changed. */
export interface PlannedCell {
  readonly before: AzureCell
  readonly now: Aggregate
  readonly version: number
  /** As it is to be, but for the change that wrote it and where the index has it. */
  readonly meta: CellMeta
  /** What is told of it, by this change. */
  readonly told: readonly Logged[]
  /** Rows of those who begin to wait for it, in its partition. */
  readonly waiters: readonly NextRow[]
}

export interface Plan {
  readonly id: string
  readonly at: number
  /** The first decides; the others are changed with it. */
  readonly cells: readonly PlannedCell[]
  /** Cells that have to stay as they were seen until it is decided. */
  readonly held: readonly AzureCell[]
  /** All that were looked at and are not changed. */
  readonly seen: readonly AzureCell[]
  /** Who begins to wait for what; for something that is not changed itself. */
  readonly waits: readonly Wait[]
  readonly claims: readonly Claim[]
  readonly slots: SlotPlan
  readonly signals: readonly Signal[]
  /** What is told of records that are not changed. */
  readonly others: readonly Logged[]
  /** Those, as they were when somebody looked. */
  readonly about: readonly AzureCell[]
  /** Everything that is told, in the order in which it is. */
  readonly entries: readonly AuditEntry[]
  readonly owed: Pick<Owed, 'counts' | 'touched' | 'closed' | 'drops' | 'refusals' | 'members'>
  /** Rows of those who wait no longer. */
  readonly forgets: readonly RowRef[]
  readonly isNews: boolean
}

export interface Wait {
  readonly signal: Signal
  readonly job_id: string
}

/** Kinds that a decision which only looked at them can rely on. A queue may be paused the moment after it was looked at. */
const HELD_KINDS: ReadonlySet<string> = new Set(['run', 'workstream'])

export interface Planning {
  readonly space: Workspace
  /** Makes up what the change is called. */
  readonly id: string
  /** The partition of `Jobs` for what is new. */
  readonly jobsPk: (tenant_id: string) => string
  /** The last place that was given out to records that are not changed. */
  readonly lastOther: number
}

/** Null when there is nothing to write. */
export function planOf({ space, id, jobsPk, lastOther }: Planning): Plan | null {
  const changed: Cell[] = []
  space.forEachCell((cell) => {
    if (cell.isChanged) changed.push(cell)
  })
  const entries = new Map<Cell | null, AuditEntry[]>()
  for (const entry of space.entries) {
    const cell = changed.find((candidate) => isOf(candidate, entry)) ?? notedCell(space, entry)
    if (cell !== null && !changed.includes(cell)) changed.push(cell)
    const some = entries.get(cell)
    if (some === undefined) entries.set(cell, [entry])
    else some.push(entry)
  }
  const closed = [...space.rows.closed.values()]
  const planned = changed.map((cell) => plannedCell(cell, entries.get(cell) ?? [], space.now, jobsPk))
  planned.sort((a, b) => placeOf(a) - placeOf(b))
  const { cells, waits } = withWaiters(planned, id)
  const seen = space.verify().map(({ stored }) => asAzure(stored))
  const refusals = space.refusals.told()
  const unchanged = entries.get(null) ?? []
  const plan: Plan = {
    id,
    at: space.now,
    cells,
    held: seen.filter(isHeld),
    seen,
    waits,
    claims: space.claims,
    slots: slotPlan(space, cells),
    signals: distinct(space.signals),
    others: placedOthers(unchanged, { space, lastOther }),
    about: unchanged.flatMap((entry) => cellOf(entry, space) ?? []),
    entries: space.entries,
    owed: {
      counts: [...space.counts.entries()],
      touched: cells.map(touchedBy),
      closed,
      drops: cells.flatMap(indexRowsBefore),
      refusals: refusals.map(({ key, count }) => ({ ...key, count })),
      members: cells.flatMap(newMembers),
    },
    forgets: cells.flatMap(oldWaits),
    isNews: space.isNews,
  }
  return isEmpty(plan) ? null : plan
}

/**
 * It rests on something that it does not write and that is only remembered: others may have changed that long ago, and nobody would
 * say so. Whatever is held, or is begun to be waited for, is written as it was seen.
 */
export function restsOnMemory(
  space: Workspace,
  { held, waits }: Plan,
  known: readonly Cell['stored'][],
): boolean {
  const awaited = waits.flatMap(({ signal }) => subjectKey(signal) ?? [])
  const checked = new Set([...held.map(({ key }) => key), ...awaited].map(nameOfKey))
  return space
    .verify()
    .some(({ isFresh, stored, name }) => !isFresh && !known.includes(stored) && !checked.has(name))
}

/** Whose history an entry is part of; null when that was not looked at. */
function cellOf(entry: AuditEntry, space: Workspace): AzureCell | null {
  const cell = space.cellOf(ownerOf(entry) as RecordKey)
  return cell === undefined ? null : asAzure(cell.stored)
}

/** Something worth knowing is kept with its record, as what changed it is. */
function notedCell(space: Workspace, entry: AuditEntry): Cell | null {
  const cell = entry.event === 'noted' ? space.cellOf(ownerOf(entry) as RecordKey) : undefined
  return cell === undefined || cell.now === null ? null : cell
}

/** What is told of records that are not changed has its place between their changes. */
function placedOthers(
  entries: readonly AuditEntry[],
  { space, lastOther }: Pick<Planning, 'space' | 'lastOther'>,
): readonly Logged[] {
  let last = lastOther
  const counts = new Map<string, number>()
  return entries.map((entry): Logged => {
    const cell = cellOf(entry, space)
    const name = refusalName(keyOfEntry(entry))
    const counted = space.refusals.get(name)
    if (cell !== null && counted !== undefined && isQuiet(entry.event)) {
      const before = counts.get(name) ?? counted.from
      counts.set(name, before + 1)
      return [placeBetween(cell.meta.seq, before, space.now), entry]
    }
    const [one] = placed([entry], last, space.now) as [Logged]
    last = lastPlace(one)
    return one
  })
}

function isEmpty({ cells, claims, slots, signals, others }: Plan): boolean {
  const { takes, gives, handovers } = slots
  return [cells, claims, takes, gives, handovers, signals, others].every(({ length }) => length === 0)
}

/** Cells that were only taken to be absent know nothing of rows yet. */
function asAzure(stored: Cell['stored']): AzureCell {
  return 'ref' in stored ? (stored as AzureCell) : noCell(stored.key)
}

/** What has ended does not change any more, and whoever waits is told by the row that it waits for. */
function isHeld({ key, aggregate }: AzureCell): boolean {
  if (!HELD_KINDS.has(key.kind)) return false
  return aggregate === null || !isAtRest(aggregate as AloneRecord)
}

function isOf({ stored }: Cell, { kind, tenant_id, id, job_id }: AuditEntry): boolean {
  const { key } = stored
  if (key.tenant_id !== tenant_id) return false
  return isPartKind(kind)
    ? key.kind === 'job' && key.id === (job_id ?? id)
    : key.kind === kind && key.id === id
}

/** Jobs decide before anything else does: somebody always comes back to them. */
function placeOf({ before }: PlannedCell): number {
  if (before.key.kind !== 'job') return 2
  return before.aggregate === null ? 1 : 0
}

function plannedCell(
  cell: Cell,
  entries: readonly AuditEntry[],
  now: number,
  jobsPk: (tenant_id: string) => string,
): PlannedCell {
  const before = asAzure(cell.stored)
  const aggregate = cell.now as Aggregate
  const told = placed(entries, before.meta.seq, now)
  const { meta, key } = before
  const last = told.at(-1)
  return {
    before,
    now: aggregate,
    version: cell.version,
    told,
    waiters: [],
    meta: {
      ...meta,
      seq: last === undefined ? meta.seq : lastPlace(last),
      log: [...keptLog(before), ...told],
      recordEtag: isPut(before, aggregate) ? null : (meta.recordEtag ?? before.etag),
      job: key.kind === 'job' ? (meta.job ?? newJobMeta(jobsPk(key.tenant_id))) : null,
    },
  }
}

/** Entries that are kept with a record before they are put into `Events`, unless it has come to rest. */
const MOST_LOGGED = 20

/** Whether the log of a cell is put into `Events` by the change that wrote it. */
export function isLogPut({ now, meta }: Pick<PlannedCell, 'now' | 'meta'>): boolean {
  return meta.log.length > 0 && (meta.log.length >= MOST_LOGGED || isAtRest('kind' in now ? now : now.job))
}

/** What is still to be put there: nothing, if the change before has seen to it. */
function keptLog({ aggregate, meta }: AzureCell): readonly Logged[] {
  if (aggregate === null || isLogPut({ now: aggregate, meta })) return []
  return meta.log
}

/** Whether the record itself is changed, and not just something of its aggregate. */
function isPut({ aggregate }: AzureCell, now: Aggregate): boolean {
  if (aggregate === null || 'kind' in aggregate || 'kind' in now) return aggregate !== now
  return aggregate.job !== now.job
}

function touchedBy({ now }: PlannedCell): Touched {
  const record: LedgerRecord = 'kind' in now ? now : now.job
  return [record.kind, record.tenant_id, idOf(record), record.state, changedAt(record)]
}

/** A job that is new, or has just ended. */
function newMembers({ before, now }: PlannedCell): readonly Member[] {
  if ('kind' in now) return []
  const isNew = before.aggregate === null
  return isNew || (isAtRest(now.job) && now.job !== (before.aggregate as JobAggregate).job)
    ? membersOf(now.job)
    : []
}

function indexRowsBefore({ before }: PlannedCell): readonly IndexRow[] {
  const index = before.meta.job?.index
  if (index === undefined) return []
  return [index.ready, index.due].flatMap((rk) => (rk === null ? [] : [{ lane: index.lane, rk }]))
}

function waitsOf(aggregate: Aggregate | null): readonly Signal[] {
  if (aggregate === null || 'kind' in aggregate) return []
  const { tenant_id, waits_for } = aggregate.job
  return [...new Set(waits_for)].map((topic) => ({ tenant_id, topic }))
}

function newWaits({ before, now }: PlannedCell): readonly Wait[] {
  const there = new Set(waitsOf(before.aggregate).map(({ topic }) => topic))
  return waitsOf(now)
    .filter(({ topic }) => !there.has(topic))
    .map((signal) => ({ signal, job_id: (now as JobAggregate).job.job_id }))
}

/** Whoever begins to wait for something that is changed with it is written with that. */
function withWaiters(planned: readonly PlannedCell[], change: string): Pick<Plan, 'cells' | 'waits'> {
  const by = planned[0]?.before.ref as RowRef
  const rows = new Map<PlannedCell, NextRow[]>()
  const waits = planned.flatMap(newWaits).filter(({ signal, job_id }) => {
    const subject = subjectKey(signal)
    const cell = planned.find(({ before }) => subject !== null && sameRow(before.ref, refOf(subject)))
    if (cell === undefined) return true
    rows.set(cell, [...(rows.get(cell) ?? []), waiterRow(signal, job_id, { change, by })])
    return false
  })
  const cells = planned.map((cell) => {
    const waiters = rows.get(cell)
    return waiters === undefined ? cell : { ...cell, waiters, meta: { ...cell.meta, hasWaiters: true } }
  })
  return { cells, waits }
}

function oldWaits({ before, now }: PlannedCell): readonly RowRef[] {
  const there = new Set(waitsOf(now).map(({ topic }) => topic))
  return waitsOf(before.aggregate)
    .filter(({ topic }) => !there.has(topic))
    .map((signal) => waiterRef(signal, before.key.id))
}

function distinct(signals: readonly Signal[]): readonly Signal[] {
  return [...new Map(signals.map((signal) => [`${signal.tenant_id}\n${signal.topic}`, signal])).values()]
}

/** Outbox rows of a job that are new or changed, and still open. */
export function newRows({ before, now }: PlannedCell): readonly OutboxRecord[] {
  if ('kind' in now) return []
  const there = before.aggregate === null ? [] : (before.aggregate as JobAggregate).outbox
  return now.outbox.filter((row) => !there.some(({ outbox_id }) => outbox_id === row.outbox_id))
}
