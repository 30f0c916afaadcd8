// Aggregates as rows, and back. A job is a partition of `Steps`: its own row, which decides, and one for each step.
// Anything else is one row in the table of its kind.
import type { AloneRecord, JobAggregate, RecordKey } from '../../core/aggregate.ts'
import type { OutboxRecord, StepRecord } from '../../core/job/record.ts'
import { toIso } from '../../core/time.ts'
import { changedAt } from '../query.ts'
import type { Aggregate } from '../tables/cell.ts'
import {
  type AzureCell,
  type CellMeta,
  type JobMeta,
  NEW_META,
  NOWHERE,
  noCell,
  type RowRef,
} from './azure-cell.ts'
import { digits, key, part } from './keys.ts'
import { fitted, whole } from './long-columns.ts'
import { columnsOf, recordFrom } from './record-columns.ts'
import { type Columns, MOST_ROWS_AT_ONCE, type Row, type Value } from './service.ts'

/** A row as it is to be. */
export interface NextRow {
  readonly rk: string
  readonly columns: Columns
}

const STEP_DIGITS = 4

export function stepRowKey({ step_index, step_id }: StepRecord): string {
  return key(digits(step_index, STEP_DIGITS), part(step_id))
}

/** Rows beside the one that decides which are written with it; more of them follow. */
const MOST_STEPS_AT_ONCE = MOST_ROWS_AT_ONCE - 20

/**
 * The rows of an aggregate that differ from what is there: first the one that decides. Steps that are too many for one
 * write are in that one, and get their rows later.
 */
export function nextRows(
  before: AzureCell,
  now: Aggregate | null,
  version: number,
  meta: CellMeta,
): { readonly rows: readonly NextRow[]; readonly meta: CellMeta } {
  const { ref } = before
  if (now === null || 'kind' in now) {
    const columns = {
      ...(now === null ? identity(before.key) : recordColumns(now)),
      ...metaColumns(version, meta),
    }
    return { rows: [fittedRow(ref, columns)], meta }
  }
  const changed = changedSteps(before.aggregate as JobAggregate | null, now)
  const isLate = changed.length > MOST_STEPS_AT_ONCE
  const late = isLate ? changed : before.aggregate === now ? (meta.job?.late ?? []) : []
  const next = { ...meta, job: { ...(meta.job as JobMeta), late } }
  const outbox = now.outbox.map((row) => ({ ...row, etag: isKept(before, row) ? row.etag : '' }))
  const head = {
    ...recordColumns(now.job),
    ...(outbox.length === 0 ? null : { _outbox: JSON.stringify(outbox) }),
    ...metaColumns(version, next),
  }
  const steps = isLate ? [] : changed.map((step) => stepRow(ref, step))
  return { rows: [fittedRow(ref, head), ...steps], meta: next }
}

/** The row that decides, with other facts beside the records: those, and their etags, stay what they were. */
export function rewritten(cell: AzureCell, meta: Partial<CellMeta>): NextRow {
  const { aggregate, version, etag } = cell
  const kept = { ...cell.meta, recordEtag: cell.meta.recordEtag ?? etag, ...meta }
  return nextRows(cell, aggregate, version, kept).rows[0] as NextRow
}

export function stepRow(ref: RowRef, step: StepRecord): NextRow {
  return fittedRow({ ...ref, rk: stepRowKey(step) }, columnsOf(step))
}

/** Steps that are not what they were. */
function changedSteps(before: JobAggregate | null, now: JobAggregate): readonly StepRecord[] {
  return now.steps.filter((step, index) => before?.steps[index] !== step)
}

/** An open outbox row that the change did not touch. */
function isKept({ aggregate }: AzureCell, row: OutboxRecord): boolean {
  return aggregate !== null && !('kind' in aggregate) && aggregate.outbox.includes(row)
}

export function recordColumns(record: AloneRecord | JobAggregate['job']): Columns {
  return { ...columnsOf(record), _at: toIso(changedAt(record)) }
}

/** Who it would be, if it were there. */
function identity({ tenant_id, id }: RecordKey): Columns {
  return { tenant_id, _id: id }
}

export function fittedRow({ table, pk, rk }: RowRef, columns: Columns): NextRow {
  return { rk, columns: fitted(`A row of ${table}`, { pk, rk }, columns) }
}

function metaColumns(version: number, meta: CellMeta): Columns {
  const columns: { [name: string]: Value } = { _v: version, _seq: String(meta.seq) }
  if (meta.birth !== null) columns._birth = meta.birth
  if (meta.last !== null) columns._last = JSON.stringify(meta.last)
  if (meta.line !== null) columns._line = JSON.stringify(meta.line)
  if (meta.log.length > 0) columns._log = JSON.stringify(meta.log)
  if (meta.hasWaiters) columns._waiters = true
  if (meta.lock !== null) columns._lock = JSON.stringify(meta.lock)
  if (meta.recordEtag !== null) columns._etag = meta.recordEtag
  if (meta.job !== null) columns._job = JSON.stringify(meta.job)
  return columns
}

function metaOf(columns: Columns): CellMeta {
  const json = <T>(name: string, otherwise: T): T =>
    columns[name] === undefined ? otherwise : (JSON.parse(columns[name] as string) as T)
  return {
    seq: Number(columns._seq ?? 0),
    birth: (columns._birth as string | undefined) ?? null,
    last: json('_last', NEW_META.last),
    line: json('_line', NEW_META.line),
    log: json('_log', NEW_META.log),
    hasWaiters: columns._waiters === true,
    lock: json('_lock', NEW_META.lock),
    recordEtag: (columns._etag as string | undefined) ?? null,
    job: json('_job', NEW_META.job),
  }
}

/** The aggregate that these rows of its partition make up. */
export function cellOfRows(recordKey: RecordKey, rows: readonly Row[]): AzureCell {
  const none = noCell(recordKey)
  const row = rows.find(({ rk }) => rk === none.ref.rk)
  if (row === undefined) return none
  const columns = whole(row.columns)
  const meta = metaOf(columns)
  const version = columns._v as number
  const found = { ...none, etag: row.etag, meta, version, receipt: meta.line }
  if (version === 0) return found
  const etag = meta.recordEtag ?? row.etag
  const { kind } = none.key
  if (kind !== 'job') return { ...found, aggregate: frozen(recordFrom(kind, columns, etag)) as AloneRecord }
  const steps = rows
    .filter(isStepRow)
    .map((step) => frozen(recordFrom('step', whole(step.columns), step.etag)))
  for (const late of meta.job?.late ?? []) steps[late.step_index] = frozen({ ...late, etag: row.etag })
  const open = columns._outbox === undefined ? [] : (JSON.parse(columns._outbox as string) as OutboxRecord[])
  const outbox = open.map((one) => frozen({ ...one, etag: one.etag === '' ? row.etag : one.etag }))
  const aggregate = { job: frozen(recordFrom('job', columns, etag)), steps, outbox }
  return { ...found, aggregate, holds: (meta.job?.slots ?? []).map((slot) => slot.key) }
}

/** What was read is not what is written next: only that gets another etag. */
function frozen<T>(record: T): T {
  return Object.freeze(record)
}

function isStepRow({ rk }: Row): boolean {
  const first = rk.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

/** A job that is new: nothing is noted of it yet. */
export function newJobMeta(jobsPk: string): JobMeta {
  return { jobsPk, jobsEtag: null, index: NOWHERE, slots: [], late: [] }
}
