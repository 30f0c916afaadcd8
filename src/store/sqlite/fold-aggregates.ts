import type { ChangedJob, NewJob } from '../tables/tables.ts'
import type { MergedJob, MergedParts } from '../tables/tail/merged-parts.ts'
import type { Connection, Value } from './connection.ts'
import { Fault } from './fault.ts'
import { ManyRows } from './many-rows.ts'
import { upsertRecord } from './write-aggregates.ts'

/** Of a new job that goes on as others did its own are its names, when it changed, and the texts. */
const INSERT = new ManyRows(
  {
    insert: `
    INSERT INTO job (tenant_id, version, state, ended_state, open_rows, request_type, protocol_id, doc_id, run_id,
      workstream_id, holds, log, job_id, changed_at, ended_at, fixed, moving)`,
    otherwise: '',
  },
  { common: 12, own: 5 },
)

const UPDATE = `
  UPDATE job SET version = ?, state = ?, changed_at = ?, holds = ?, moving = ?, log = log || ?,
    open_rows = ?, ended_state = ?, ended_at = ?
  WHERE tenant_id = ? AND job_id = ?`

/** An update that names a column of an index writes the index, also when it stays what it was. */
const GO_ON = `
  UPDATE job SET version = ?, state = ?, changed_at = ?, holds = ?, moving = ?, log = log || ?
  WHERE tenant_id = ? AND job_id = ? AND open_rows = ? AND ended_state IS NULL`

export function foldJobs(db: Connection, { jobs }: MergedParts): void {
  const born: Born[] = []
  jobs.forEach((job) => {
    if (job.born === null) update(db, job)
    else born.push({ row: { ...job.born, ...job.changed }, told: toldText(job) })
  })
  insert(db, born)
}

/** As it is by now. */
interface Born {
  readonly row: NewJob
  readonly told: string
}

function insert(db: Connection, born: readonly Born[]): void {
  for (let at = 0; at < born.length; ) {
    const { row, told } = born[at] as Born
    const own: Value[] = []
    for (; at < born.length; at++) {
      const next = born[at] as Born
      if (next.told !== told || !isBeside(row, next.row)) break
      const { job_id, changed_at, is_ended, fixed, moving } = next.row
      own.push(job_id, changed_at, is_ended ? changed_at : null, fixed, moving)
    }
    INSERT.insert(db, commonColumns(row, told), own)
  }
}

/** They differ in nothing but what is each one's own. */
function isBeside(a: NewJob, b: NewJob): boolean {
  return (
    a.tenant_id === b.tenant_id &&
    a.version === b.version &&
    a.state === b.state &&
    a.is_ended === b.is_ended &&
    a.open_rows === b.open_rows &&
    a.request_type === b.request_type &&
    a.protocol_id === b.protocol_id &&
    a.doc_id === b.doc_id &&
    a.run_id === b.run_id &&
    a.workstream_id === b.workstream_id &&
    sameTexts(a.holds, b.holds)
  )
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((text, index) => text === b[index]))
}

function commonColumns(row: NewJob, told: string): readonly Value[] {
  return [
    row.tenant_id,
    row.version,
    row.state,
    row.is_ended ? row.state : null,
    row.open_rows,
    row.request_type,
    row.protocol_id,
    row.doc_id,
    row.run_id,
    row.workstream_id,
    JSON.stringify(row.holds),
    told,
  ]
}

function update(db: Connection, job: MergedJob): void {
  const { tenant_id, job_id, version, state, changed_at, is_ended, open_rows, moving, holds } =
    job.changed as ChangedJob
  const values = [version, state, changed_at, JSON.stringify(holds), moving, toldText(job)] as const
  if (!is_ended && db.run(GO_ON, ...values, tenant_id, job_id, open_rows) === 1) return
  const ended = is_ended ? ([state, changed_at] as const) : ([null, null] as const)
  if (db.run(UPDATE, ...values, open_rows, ...ended, tenant_id, job_id) !== 1)
    throw new Fault('damaged', `job ${job_id} was written, and is not there`)
}

export function foldRecords(db: Connection, { records }: MergedParts): void {
  for (const { record, isNew, told } of records.values()) upsertRecord(db, record, isNew, textOf(told))
}

function toldText({ told }: MergedJob): string {
  return textOf(told)
}

/** Each has a comma before it. */
function textOf(told: readonly number[]): string {
  return told.map((first_seq) => `,${first_seq}`).join('')
}
