// A write set as the parameters of the function that writes it: a list of each column, sorted by key, so that everybody
// takes locks in one order; null where there is nothing to write.
import type { RecordKey } from '../../core/aggregate.ts'
import type { SlotKey } from '../../core/decision.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type {
  ChangedJob,
  ChangedRecord,
  Changes,
  ClosedRow,
  DueKey,
  NewJob,
  ReadyKey,
  RefusalWrite,
  SlotWrite,
  WaitKey,
  WriteSet,
} from '../tables/tables.ts'
import { arrayText, bigintArray, bigintsOf, textArray, textsOf } from './binary-array.ts'

export type Value = Buffer | string | null

export interface Stamp {
  readonly writer: string
  readonly batch: number
  /** Who is to be named in the notification. */
  readonly process: string
}

export function writeValues(set: WriteSet, { writer, batch, process }: Stamp): Value[] {
  const { chunk } = set
  const ready = ordered(set.ready, BY_READY)
  const due = ordered(set.due, BY_DUE)
  const waits = ordered(set.waits, BY_WAIT)
  const claims = sorted(set.claims, BY_KEY)
  const counts = sorted(set.counts, BY_STATE)
  const numbers = [batch, set.at, chunk?.places ?? 0, chunk?.first_at ?? 0, chunk?.last_at ?? 0]
  const drops = [set.ready.drops.length, set.due.drops.length, set.waits.drops.length]
  return [
    writer,
    set.isNews ? process : null,
    bigintArray([...numbers, ...drops]),
    ...columns(set.verify, [t((v) => v.kind), t((v) => v.tenant_id), t((v) => v.id), n((v) => v.version)]),
    ...changedJobs(sorted(set.jobs, BY_JOB)),
    ...newJobs(sorted(set.newJobs, BY_JOB)),
    ...records(sorted(set.records, BY_RECORD)),
    ...closedRows(sorted(set.rows, BY_OUTBOX)),
    ...columns(claims, [t((c) => c.tenant_id), t((c) => c.key), t((c) => c.owner)]),
    ...slots(sorted(set.slots, BY_KEY)),
    ...refusals(sorted(set.refusals, BY_REFUSAL)),
    ...columns(ready, [
      t((y) => y.queue),
      t((y) => y.tenant_id),
      t((y) => y.group),
      n((y) => y.rank),
      t((y) => y.job_id),
    ]),
    ...columns(due, [n((d) => d.due_at), t((d) => d.tenant_id), t((d) => d.job_id)]),
    ...columns(waits, [t((w) => w.tenant_id), t((w) => w.topic), t((w) => w.job_id)]),
    set.delivered.length === 0 ? null : bigintArray(set.delivered),
    ...columns(set.signals, [t((g) => g.tenant_id), t((g) => g.topic)]),
    ...columns(counts, [t((c) => c.tenant_id), t((c) => c.kind), t((c) => c.state), n((c) => c.n)]),
    chunk?.entries ?? null,
    chunk === null ? null : textArray(chunk.tags),
    chunk?.sketch ?? null,
    ...columns(set.inbox, [n((i) => i.id), t((i) => i.answer)]),
  ]
}

/** How many parameters the function takes. */
export const WRITE_PARAMETERS = 90

function changedJobs(jobs: readonly ChangedJob[]): Value[] {
  return columns(jobs, [
    t((j) => j.tenant_id),
    t((j) => j.job_id),
    n((j) => j.version),
    n((j) => j.from),
    t((j) => j.state),
    n((j) => j.changed_at),
    t((j) => (j.is_ended ? j.state : null)),
    n((j) => j.open_rows),
    t((j) => arrayText(j.holds)),
    t((j) => j.moving),
    n((j) => Number(j.isTold)),
  ])
}

function newJobs(jobs: readonly NewJob[]): Value[] {
  return columns(jobs, [
    t((j) => j.tenant_id),
    t((j) => j.job_id),
    n((j) => j.version),
    t((j) => j.state),
    n((j) => j.changed_at),
    t((j) => (j.is_ended ? j.state : null)),
    t((j) => j.request_type),
    t((j) => j.protocol_id),
    t((j) => j.doc_id),
    t((j) => j.run_id),
    t((j) => j.workstream_id),
    n((j) => j.open_rows),
    t((j) => arrayText(j.holds)),
    t((j) => j.fixed),
    t((j) => j.moving),
    n((j) => Number(j.isTold)),
  ])
}

function records(rows: readonly ChangedRecord[]): Value[] {
  return columns(rows, [
    t((r) => r.kind),
    t((r) => r.tenant_id),
    t((r) => r.id),
    n((r) => r.version),
    n((r) => r.from),
    t((r) => r.state),
    n((r) => r.changed_at),
    t((r) => r.adapter),
    t((r) => r.run_id),
    t((r) => r.body),
    n((r) => Number(r.isTold)),
  ])
}

function closedRows(rows: readonly ClosedRow[]): Value[] {
  return columns(rows, [
    t((o) => o.tenant_id),
    t((o) => o.outbox_id),
    t((o) => o.job_id),
    t((o) => o.step_id),
    t((o) => o.state),
    n((o) => o.changed_at),
    t((o) => o.body),
  ])
}

function slots(rows: readonly SlotWrite[]): Value[] {
  return columns(rows, [
    t((s) => s.tenant_id),
    t((s) => s.key),
    n((s) => s.add),
    n((s) => s.most),
    t((s) => (s.named === null ? null : JSON.stringify(s.named))),
    n((s) => s.from),
  ])
}

function refusals(rows: readonly RefusalWrite[]): Value[] {
  return columns(rows, [
    t((f) => f.tenant_id),
    t((f) => f.kind),
    t((f) => f.id),
    t((f) => f.job_id),
    n((f) => f.from),
    n((f) => f.count),
  ])
}

type Column<T> = (rows: readonly T[]) => Buffer

function t<T>(of: (row: T) => string | null): Column<T> {
  return (rows) => textsOf(rows, of)
}

function n<T>(of: (row: T) => number | null): Column<T> {
  return (rows) => bigintsOf(rows, of)
}

function columns<T>(rows: readonly T[], each: readonly Column<T>[]): Value[] {
  return each.map((column) => (rows.length === 0 ? null : column(rows)))
}

type Compare<T> = (a: T, b: T) => number

/** Drops first, each part sorted. */
function ordered<T>({ adds, drops }: Changes<T>, compare: Compare<T>): readonly T[] {
  if (drops.length === 0) return sorted(adds, compare)
  if (adds.length === 0) return sorted(drops, compare)
  return [...sorted(drops, compare), ...sorted(adds, compare)]
}

/** They mostly are. */
function sorted<T>(rows: readonly T[], compare: Compare<T>): readonly T[] {
  for (let index = 1; index < rows.length; index++) {
    if (compare(rows[index - 1] as T, rows[index] as T) > 0) return [...rows].sort(compare)
  }
  return rows
}

/** By the first of the fields in which they differ. */
function by<T>(...fields: readonly (keyof T)[]): Compare<T> {
  return (a, b) => {
    for (const field of fields) {
      if (a[field] < b[field]) return -1
      if (a[field] > b[field]) return 1
    }
    return 0
  }
}

const BY_READY = by<ReadyKey>('queue', 'tenant_id', 'group', 'rank', 'job_id')
const BY_DUE = by<DueKey>('due_at', 'tenant_id', 'job_id')
const BY_WAIT = by<WaitKey>('tenant_id', 'topic', 'job_id')
const BY_JOB = by<ChangedJob | NewJob>('tenant_id', 'job_id')
const BY_KEY = by<SlotKey>('tenant_id', 'key')
const BY_RECORD = by<RecordKey>('kind', 'tenant_id', 'id')
const BY_OUTBOX = by<ClosedRow>('tenant_id', 'outbox_id')
const BY_REFUSAL = by<RefusalWrite>('tenant_id', 'kind', 'id')
const BY_STATE = by<CountEntry>('tenant_id', 'kind', 'state')
