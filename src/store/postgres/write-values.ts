// A write set as the parameters of the function that writes it: a list of each column, sorted by key, so that everybody
// takes locks in one order; null where there is nothing to write.
import type {
  ChangedJob,
  ChangedRecord,
  Changes,
  ClosedRow,
  NewJob,
  RefusalWrite,
  SlotWrite,
  WriteSet,
} from '../tables/tables.ts'
import { arrayText, bigintArray, textArray } from './binary-array.ts'

export type Value = Buffer | string | null

export interface Stamp {
  readonly writer: string
  readonly batch: number
  /** Who is to be named in the notification. */
  readonly process: string
}

export function writeValues(set: WriteSet, { writer, batch, process }: Stamp): Value[] {
  const { chunk } = set
  const ready = ordered(set.ready, (y) => [y.queue, y.tenant_id, y.group, y.rank, y.job_id])
  const due = ordered(set.due, (d) => [d.due_at, d.tenant_id, d.job_id])
  const waits = ordered(set.waits, (w) => [w.tenant_id, w.topic, w.job_id])
  const claims = sorted(set.claims, (c) => [c.tenant_id, c.key])
  const counts = sorted(set.counts, (c) => [c.tenant_id, c.kind, c.state])
  const numbers = [batch, set.at, chunk?.places ?? 0, chunk?.first_at ?? 0, chunk?.last_at ?? 0]
  const drops = [set.ready.drops.length, set.due.drops.length, set.waits.drops.length]
  return [
    writer,
    set.isNews ? process : null,
    bigintArray([...numbers, ...drops]),
    ...columns(set.verify, [t((v) => v.kind), t((v) => v.tenant_id), t((v) => v.id), n((v) => v.version)]),
    ...changedJobs(sorted(set.jobs, (j) => [j.tenant_id, j.job_id])),
    ...newJobs(sorted(set.newJobs, (j) => [j.tenant_id, j.job_id])),
    ...records(sorted(set.records, (r) => [r.kind, r.tenant_id, r.id])),
    ...closedRows(sorted(set.rows, (o) => [o.tenant_id, o.outbox_id])),
    ...columns(claims, [t((c) => c.tenant_id), t((c) => c.key), t((c) => c.owner)]),
    ...slots(sorted(set.slots, (s) => [s.tenant_id, s.key])),
    ...refusals(sorted(set.refusals, (f) => [f.tenant_id, f.kind, f.id])),
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
  return (rows) => textArray(rows.map(of))
}

function n<T>(of: (row: T) => number | null): Column<T> {
  return (rows) => bigintArray(rows.map(of))
}

function columns<T>(rows: readonly T[], each: readonly Column<T>[]): Value[] {
  return each.map((column) => (rows.length === 0 ? null : column(rows)))
}

type Key = readonly (string | number)[]

/** Drops first, each part sorted. */
function ordered<T>({ adds, drops }: Changes<T>, keyOf: (row: T) => Key): readonly T[] {
  return [...sorted(drops, keyOf), ...sorted(adds, keyOf)]
}

function sorted<T>(rows: readonly T[], keyOf: (row: T) => Key): readonly T[] {
  if (rows.length < 2) return rows
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }))
  keyed.sort((a, b) => compareKeys(a.key, b.key))
  return keyed.map(({ row }) => row)
}

function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < a.length; i++) {
    const left = a[i] as string | number
    const right = b[i] as string | number
    if (left < right) return -1
    if (left > right) return 1
  }
  return 0
}
