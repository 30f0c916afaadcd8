// A write set as the parameters of the function that writes it: lists of rows, sorted by key, so that everybody takes
// locks in one order; null where there is nothing to write.
import type { RecordKey } from '../../core/aggregate.ts'
import type { Claim, Signal, SlotKey } from '../../core/decision.ts'
import type { CountEntry } from '../live/state-counts.ts'
import { isBeside, isLike } from '../tables/alike-rows.ts'
import type {
  ChangedJob,
  ChangedRecord,
  ClosedRow,
  DueKey,
  NewJob,
  ReadyKey,
  RefusalWrite,
  SlotWrite,
  WaitKey,
  WriteSet,
} from '../tables/tables.ts'
import { bigintArray, textArray, textsOf } from './binary-array.ts'
import { LONE_PARAMETERS, loneValues } from './lone-values.ts'
import { bigint, boolean, type Field, int, rowArray, text, texts } from './row-array.ts'

export type Value = Buffer | string | number | null

export type WriteCall = 'write' | 'write_alike' | 'write_lone'

export interface Stamp {
  readonly writer: string
  readonly batch: number
  /** Who is to be named in the notification. */
  readonly process: string
  /** The writer has a row. */
  readonly isMade: boolean
  /** All of its counts are known to be there. */
  readonly isCounted: boolean
  /** All of its limits are. */
  readonly isLimited: boolean
  /** The server's numbers of the types of rows. */
  readonly types: RowTypes
}

/** The function that is called, and what with. */
interface WriteValues {
  readonly call: WriteCall
  readonly values: readonly Value[]
}

export function writeValues(set: WriteSet, stamp: Stamp): WriteValues {
  const lone = stamp.isMade && stamp.isCounted && stamp.isLimited ? loneValues(set, stamp) : null
  if (lone !== null) return { call: 'write_lone', values: lone }
  const alike = alikeOf(set)
  if (alike === null) return { call: 'write', values: valuesOf(set, stamp) }
  const { jobs, place, claims } = alike
  const { types } = stamp
  const others = { ...set, newJobs: [], claims: [], ready: { ...set.ready, adds: [] } }
  const values = [
    ...valuesOf(others, stamp),
    rowArray(types.new_job, jobs.slice(0, 1), NEW_JOB),
    rowArray(types.ready, [place], READY),
    textsOf(jobs, (job) => job.job_id),
    textsOf(jobs, (job) => job.fixed),
    textsOf(claims, (claim) => claim.key),
    textsOf(claims, (claim) => claim.owner),
  ]
  return { call: 'write_alike', values }
}

/** Fewer than these are written like all others. */
const FEWEST_ALIKE = 16

/** In the order of their keys. */
interface Alike {
  readonly jobs: readonly NewJob[]
  readonly place: ReadyKey
  readonly claims: readonly Claim[]
}

/** All new jobs are alike, each of them is ready, and nothing else is; all claims are of their tenant. */
function alikeOf({ newJobs, ready: { adds }, claims }: WriteSet): Alike | null {
  if (newJobs.length < FEWEST_ALIKE || adds.length !== newJobs.length) return null
  const jobs = sorted(newJobs, BY_JOB)
  const places = sorted(adds, BY_READY)
  const job = jobs[0] as NewJob
  const place = places[0] as ReadyKey
  for (let at = 0; at < jobs.length; at++) {
    const next = jobs[at] as NewJob
    const key = places[at] as ReadyKey
    if (key.job_id !== next.job_id || !isBeside(place, key) || !isLike(job, next)) return null
  }
  const areOurs = place.tenant_id === job.tenant_id && claims.every((c) => c.tenant_id === job.tenant_id)
  return areOurs ? { jobs, place, claims: sorted(claims, BY_KEY) } : null
}

function valuesOf(set: WriteSet, stamp: Stamp): readonly Value[] {
  const { writer, batch, process, isMade, isCounted, types } = stamp
  const { chunk, ready, due, waits } = set
  const rows = <T>(type: RowType, of: readonly T[], fields: readonly Field<T>[], compare?: Compare<T>) => {
    if (of.length === 0) return null
    return rowArray(types[type], compare === undefined ? of : sorted(of, compare), fields)
  }
  const places = [chunk?.places ?? 0, chunk?.first_at ?? 0, chunk?.last_at ?? 0]
  return [
    writer,
    set.isNews ? process : null,
    bigintArray([batch, set.at, ...places, Number(isCounted), Number(isMade)]),
    rows('seen_version', set.verify, SEEN),
    rows('changed_job', set.jobs, CHANGED_JOB, BY_JOB),
    rows('new_job', set.newJobs, NEW_JOB, BY_JOB),
    rows('changed_record', set.records, RECORD, BY_RECORD),
    rows('closed_outbox', set.rows, OUTBOX, BY_OUTBOX),
    rows('claim', set.claims, CLAIM, BY_KEY),
    rows('changed_slot', set.slots, SLOT, BY_KEY),
    rows('changed_refusal', set.refusals, REFUSAL, BY_REFUSAL),
    rows('ready', ready.drops, READY, BY_READY),
    rows('ready', ready.adds, READY, BY_READY),
    rows('due', due.drops, DUE, BY_DUE),
    rows('due', due.adds, DUE, BY_DUE),
    rows('wait', waits.drops, WAIT, BY_WAIT),
    rows('wait', waits.adds, WAIT, BY_WAIT),
    set.delivered.length === 0 ? null : bigintArray(set.delivered),
    rows('signal', set.signals, SIGNAL),
    rows('state_count', set.counts, COUNT, BY_STATE),
    chunk?.entries ?? null,
    chunk === null ? null : textArray(chunk.tags),
    chunk?.sketch ?? null,
    rows('answered', set.inbox, ANSWERED),
  ]
}

/** How many parameters the functions take. */
export const WRITE_PARAMETERS: { readonly [call in WriteCall]: number } = {
  write: 24,
  write_alike: 30,
  write_lone: LONE_PARAMETERS,
}

/** Types of rows that the function takes, tables' own and others, in the order of their columns. */
export const ROW_TYPES = [
  'seen_version',
  'changed_job',
  'new_job',
  'changed_record',
  'closed_outbox',
  'claim',
  'changed_slot',
  'changed_refusal',
  'ready',
  'due',
  'wait',
  'signal',
  'state_count',
  'answered',
] as const

type RowType = (typeof ROW_TYPES)[number]

export type RowTypes = { readonly [type in RowType]: number }

const SEEN: readonly Field<WriteSet['verify'][number]>[] = [
  text((v) => v.kind),
  text((v) => v.tenant_id),
  text((v) => v.id),
  bigint((v) => v.version),
]

const CHANGED_JOB: readonly Field<ChangedJob>[] = [
  text((j) => j.tenant_id),
  text((j) => j.job_id),
  bigint((j) => j.version),
  bigint((j) => j.from),
  text((j) => j.state),
  bigint((j) => j.changed_at),
  boolean((j) => j.is_ended),
  int((j) => j.open_rows),
  texts((j) => noneAsNull(j.holds)),
  text((j) => j.moving),
  boolean((j) => j.isTold),
]

const NEW_JOB: readonly Field<NewJob>[] = [
  text((j) => j.tenant_id),
  text((j) => j.job_id),
  bigint((j) => j.version),
  text((j) => j.state),
  bigint((j) => j.changed_at),
  boolean((j) => j.is_ended),
  text((j) => j.request_type),
  text((j) => j.protocol_id),
  text((j) => j.doc_id),
  text((j) => j.run_id),
  text((j) => j.workstream_id),
  int((j) => j.open_rows),
  texts((j) => noneAsNull(j.holds)),
  text((j) => j.fixed),
  text((j) => j.moving),
  boolean((j) => j.isTold),
]

const RECORD: readonly Field<ChangedRecord>[] = [
  text((r) => r.kind),
  text((r) => r.tenant_id),
  text((r) => r.id),
  bigint((r) => r.version),
  bigint((r) => r.from),
  text((r) => r.state),
  bigint((r) => r.changed_at),
  text((r) => r.adapter),
  text((r) => r.run_id),
  text((r) => r.body),
  boolean((r) => r.isTold),
]

const OUTBOX: readonly Field<ClosedRow>[] = [
  text((o) => o.tenant_id),
  text((o) => o.outbox_id),
  text((o) => o.job_id),
  text((o) => o.step_id),
  text((o) => o.state),
  bigint((o) => o.changed_at),
  text((o) => o.body),
]

const CLAIM: readonly Field<Claim>[] = [text((c) => c.tenant_id), text((c) => c.key), text((c) => c.owner)]

const SLOT: readonly Field<SlotWrite>[] = [
  text((s) => s.tenant_id),
  text((s) => s.key),
  bigint((s) => s.add),
  bigint((s) => s.most),
  text((s) => (s.named === null ? null : JSON.stringify(s.named))),
  bigint((s) => s.from),
]

const REFUSAL: readonly Field<RefusalWrite>[] = [
  text((f) => f.tenant_id),
  text((f) => f.kind),
  text((f) => f.id),
  text((f) => f.job_id),
  bigint((f) => f.from),
  bigint((f) => f.count),
]

const READY: readonly Field<ReadyKey>[] = [
  text((y) => y.queue),
  text((y) => y.tenant_id),
  text((y) => y.group),
  bigint((y) => y.rank),
  text((y) => y.job_id),
]

const DUE: readonly Field<DueKey>[] = [
  bigint((d) => d.due_at),
  text((d) => d.tenant_id),
  text((d) => d.job_id),
]

const WAIT: readonly Field<WaitKey>[] = [
  text((w) => w.tenant_id),
  text((w) => w.topic),
  text((w) => w.job_id),
]

const SIGNAL: readonly Field<Signal>[] = [text((g) => g.tenant_id), text((g) => g.topic)]

const COUNT: readonly Field<CountEntry>[] = [
  text((c) => c.tenant_id),
  text((c) => c.kind),
  text((c) => c.state),
  bigint((c) => c.n),
]

const ANSWERED: readonly Field<WriteSet['inbox'][number]>[] = [bigint((i) => i.id), text((i) => i.answer)]

function noneAsNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list
}

type Compare<T> = (a: T, b: T) => number

/** They mostly are. */
function sorted<T>(rows: readonly T[], compare: Compare<T>): readonly T[] {
  for (let index = 1; index < rows.length; index++) {
    if (compare(rows[index - 1] as T, rows[index] as T) > 0) return [...rows].sort(compare)
  }
  return rows
}

/** Written out: what finds its fields by name takes several times as long, and is asked for every row. */
const BY_JOB: Compare<ChangedJob | NewJob> = (a, b) =>
  order(a.tenant_id, b.tenant_id) || order(a.job_id, b.job_id)
const BY_KEY: Compare<SlotKey> = (a, b) => order(a.tenant_id, b.tenant_id) || order(a.key, b.key)
const BY_READY: Compare<ReadyKey> = (a, b) =>
  order(a.queue, b.queue) ||
  order(a.tenant_id, b.tenant_id) ||
  order(a.group, b.group) ||
  a.rank - b.rank ||
  order(a.job_id, b.job_id)
const BY_DUE: Compare<DueKey> = (a, b) =>
  a.due_at - b.due_at || order(a.tenant_id, b.tenant_id) || order(a.job_id, b.job_id)
const BY_WAIT: Compare<WaitKey> = (a, b) =>
  order(a.tenant_id, b.tenant_id) || order(a.topic, b.topic) || order(a.job_id, b.job_id)
const BY_RECORD: Compare<RecordKey> = (a, b) =>
  order(a.kind, b.kind) || order(a.tenant_id, b.tenant_id) || order(a.id, b.id)
const BY_OUTBOX: Compare<ClosedRow> = (a, b) =>
  order(a.tenant_id, b.tenant_id) || order(a.outbox_id, b.outbox_id)
const BY_REFUSAL: Compare<RefusalWrite> = (a, b) =>
  order(a.tenant_id, b.tenant_id) || order(a.kind, b.kind) || order(a.id, b.id)
const BY_STATE: Compare<CountEntry> = (a, b) =>
  order(a.tenant_id, b.tenant_id) || order(a.kind, b.kind) || order(a.state, b.state)

function order(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
