// A lane is a partition of `Index` that one process at a time writes to: a log with one order, and what is to be done of
// the jobs that were last written there. Its rows:
//
//   !lane                   who writes, how far the log is; every write of the lane says which version of it is known
//   !count~<tenant>         by how many the records of the tenant changed, by state, through this lane
//   d~<time>~<tenant>~<job>~<version>   a job that has something due at a time; at 0 a signal that is to be delivered
//   l~<seq>                 a line of the log: the history of the changes that were finished together
//   m~<row>                 an aggregate that is about to be changed, and that nothing else leads to
//   r~<queue>~<tenant>~<group>~<rank>~<job>~<version>   a job that somebody could take
import type { JobRecord, Ready } from '../../core/job/record.ts'
import { fromIso } from '../../core/time.ts'
import { nameOfRow, type RowRef } from './azure-cell.ts'
import type { NextRow } from './cell-rows.ts'
import { digits, key, rangeOf, shortPart } from './keys.ts'
import type { Wakes } from './line-columns.ts'
import type { Row } from './service.ts'

export const LANE_ROW = '!lane'
const COUNT = '!count'
const DUE = 'd'
const LINE = 'l'
const MARKER = 'm'
const READY = 'r'

const LANE_DIGITS = 4
const SEQ_DIGITS = 12
const MS_DIGITS = 14

export function laneKey(lane: number): string {
  return key('lane', digits(lane, LANE_DIGITS))
}

/** Everything about the lane itself. */
export const LANE_ITSELF = { from: '!', before: '"' } as const

export function countKey(tenant_id: string): string {
  return key(COUNT, shortPart(tenant_id))
}

export const isCountRow = (rk: string): boolean => rk.startsWith(COUNT)
export const COUNT_RANGE = rangeOf(COUNT)

export function lineKey(seq: number): string {
  return key(LINE, digits(seq, SEQ_DIGITS))
}

export function seqOfLine(rk: string): number {
  return Number(rk.slice(LINE.length + 1))
}

export const LINE_RANGE = rangeOf(LINE)

/** Jobs that are due at this time or before; signals are not among them. */
export function dueRange(until: number): { readonly from: string; readonly before: string } {
  return { from: key(DUE, digits(1, MS_DIGITS)), before: key(DUE, digits(until + 1, MS_DIGITS)) }
}

export const SIGNAL_RANGE = rangeOf(DUE, digits(0, MS_DIGITS))

/** Signals, which come first, and everything that will be due. */
export const TIMER_RANGE = rangeOf(DUE)

/** Epoch milliseconds at which a row of the timers is due. */
export function timeOfTimer(rk: string): number {
  return Number(rk.slice(DUE.length + 1, DUE.length + 1 + MS_DIGITS))
}

export function signalKey(id: string): string {
  return key(DUE, digits(0, MS_DIGITS), id)
}

export function markerKey(ref: RowRef): string {
  return key(MARKER, shortPart(nameOfRow(ref)))
}

/** What a line tells of records that it did not change is not in `Events` yet. */
export function historyMarkerKey(change: string): string {
  return key(MARKER, 'events', change)
}

export const MARKER_RANGE = rangeOf(MARKER)

export function dueKey({ due_at, tenant_id, job_id }: JobRecord, version: number): string | null {
  if (due_at === null) return null
  // A time before all others is still no signal.
  const at = Math.max(1, fromIso(due_at))
  return key(DUE, digits(at, MS_DIGITS), shortPart(tenant_id), shortPart(job_id), version)
}

export function readyKey({ ready, tenant_id, job_id }: JobRecord, version: number): string | null {
  if (ready === null) return null
  const { queue, group, rank } = ready
  const places = [shortPart(queue), shortPart(tenant_id), shortPart(group)]
  return key(READY, ...places, digits(Math.max(0, rank), MS_DIGITS), shortPart(job_id), version)
}

/** Ready work of a queue; of one tenant; of one group of a tenant. */
export function readyRange(...of: readonly string[]): { readonly from: string; readonly before: string } {
  return rangeOf(READY, ...of.map(shortPart))
}

export interface IndexedJob {
  readonly job: JobRecord
  readonly version: number
  /** The change that put it there. */
  readonly change: string
  /** The whole of it, so that whoever takes it need not read it. */
  readonly whole: string | null
}

/** What the index has of a job. */
export function indexRows({ job, version, change, whole }: IndexedJob): readonly NextRow[] {
  const { tenant_id, job_id, ready, due_at } = job
  const base = { tenant_id, jobId: job_id, v: version, change }
  const rows: NextRow[] = []
  const readyAt = readyKey(job, version)
  const dueAt = dueKey(job, version)
  if (readyAt !== null) {
    const columns = { ...base, ready: JSON.stringify(ready), ...(whole === null ? null : { job: whole }) }
    rows.push({ rk: readyAt, columns })
  }
  if (dueAt !== null) rows.push({ rk: dueAt, columns: { ...base, due_at: due_at as string } })
  return rows
}

/** Who may have something to do when these rows are in the index. */
export function wakesOf(rows: readonly NextRow[]): Wakes {
  const queues = new Set<string>()
  let due: number | null = null
  for (const { rk, columns } of rows) {
    if (columns.ready !== undefined) queues.add((JSON.parse(columns.ready as string) as Ready).queue)
    else if (rk.startsWith(TIMER_RANGE.from)) due = Math.min(due ?? Number.POSITIVE_INFINITY, timeOfTimer(rk))
  }
  return { queues: [...queues], due }
}

/** The line that was written with a row of the index. */
export function lineOfIndexed({ columns }: Row): { readonly seq: number; readonly at: number } {
  return { seq: columns.line as number, at: fromIso(columns.line_at as string) }
}
