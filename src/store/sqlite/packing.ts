// What goes to the thread and comes back is copied value by value, and an object is copied with the names of its fields. So
// rows of which there may be hundreds go as a list of values for each field, and what all of them have there goes once.
import type { Claim } from '../../core/decision.ts'
import type {
  ChangedJob,
  Changes,
  DueKey,
  JobRow,
  NewJob,
  ReadyKey,
  WaitKey,
  WriteSet,
} from '../tables/tables.ts'

/** Rows of one sort: how many there are, and what they have in each field. */
export interface Packed {
  readonly count: number
  readonly columns: readonly Column[]
}

/** What each has, or what all of them have. */
type Column = { readonly each: readonly unknown[] } | { readonly all: unknown }

interface PackedChanges {
  readonly adds: Packed
  readonly drops: Packed
}

export interface PackedSet extends Omit<WriteSet, 'newJobs' | 'jobs' | 'claims' | 'ready' | 'due' | 'waits'> {
  readonly newJobs: Packed
  readonly jobs: Packed
  readonly claims: Packed
  readonly ready: PackedChanges
  readonly due: PackedChanges
  readonly waits: PackedChanges
}

/** Every field is named: one that was left out would be lost on the way. */
type Every<T> = { readonly [field in keyof T]-?: true }

function fieldsOf<T>(every: Every<T>): readonly (keyof T)[] {
  return Object.keys(every) as (keyof T)[]
}

const JOB_ROW_FIELDS = { tenant_id: true, job_id: true, version: true, holds: true, moving: true } as const
const COLUMN_FIELDS = {
  state: true,
  changed_at: true,
  is_ended: true,
  open_rows: true,
  isTold: true,
} as const

const JOB_ROW = fieldsOf<JobRow>({ ...JOB_ROW_FIELDS, fixed: true })
const CHANGED_JOB = fieldsOf<ChangedJob>({ ...JOB_ROW_FIELDS, ...COLUMN_FIELDS, from: true })
const NEW_JOB = fieldsOf<NewJob>({
  ...JOB_ROW_FIELDS,
  ...COLUMN_FIELDS,
  fixed: true,
  request_type: true,
  protocol_id: true,
  doc_id: true,
  run_id: true,
  workstream_id: true,
})
const CLAIM = fieldsOf<Claim>({ tenant_id: true, key: true, owner: true })
const READY = fieldsOf<ReadyKey>({ queue: true, tenant_id: true, group: true, rank: true, job_id: true })
const DUE = fieldsOf<DueKey>({ due_at: true, tenant_id: true, job_id: true })
const WAIT = fieldsOf<WaitKey>({ tenant_id: true, topic: true, job_id: true })

export function packSet(set: WriteSet): PackedSet {
  return {
    ...set,
    newJobs: pack(set.newJobs, NEW_JOB),
    jobs: pack(set.jobs, CHANGED_JOB),
    claims: pack(set.claims, CLAIM),
    ready: packChanges(set.ready, READY),
    due: packChanges(set.due, DUE),
    waits: packChanges(set.waits, WAIT),
  }
}

export function unpackSet(set: PackedSet): WriteSet {
  return {
    ...set,
    newJobs: unpack(set.newJobs, NEW_JOB),
    jobs: unpack(set.jobs, CHANGED_JOB),
    claims: unpack(set.claims, CLAIM),
    ready: unpackChanges(set.ready, READY),
    due: unpackChanges(set.due, DUE),
    waits: unpackChanges(set.waits, WAIT),
  }
}

export function packJobs(rows: readonly JobRow[]): Packed {
  return pack(rows, JOB_ROW)
}

export function unpackJobs(packed: Packed): readonly JobRow[] {
  return unpack(packed, JOB_ROW)
}

function packChanges<T>({ adds, drops }: Changes<T>, fields: readonly (keyof T)[]): PackedChanges {
  return { adds: pack(adds, fields), drops: pack(drops, fields) }
}

function unpackChanges<T>({ adds, drops }: PackedChanges, fields: readonly (keyof T)[]): Changes<T> {
  return { adds: unpack(adds, fields), drops: unpack(drops, fields) }
}

const NONE: Packed = { count: 0, columns: [] }

function pack<T>(rows: readonly T[], fields: readonly (keyof T)[]): Packed {
  if (rows.length === 0) return NONE
  return { count: rows.length, columns: fields.map((field) => columnOf(rows, field)) }
}

function columnOf<T>(rows: readonly T[], field: keyof T): Column {
  const all = rows[0]?.[field]
  let same = 1
  while (same < rows.length && rows[same]?.[field] === all) same++
  return same === rows.length ? { all } : { each: rows.map((row) => row[field]) }
}

function unpack<T>({ count, columns }: Packed, fields: readonly (keyof T)[]): T[] {
  const common = {} as T
  const own: { readonly field: keyof T; readonly each: readonly unknown[] }[] = []
  for (const [nth, column] of columns.entries()) {
    const field = fields[nth] as keyof T
    if ('each' in column) own.push({ field, each: column.each })
    else common[field] = column.all as T[keyof T]
  }
  const rows: T[] = []
  for (let at = 0; at < count; at++) {
    const row = { ...common }
    for (const { field, each } of own) row[field] = each[at] as T[keyof T]
    rows.push(row)
  }
  return rows
}
