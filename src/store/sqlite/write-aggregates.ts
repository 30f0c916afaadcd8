import { isLike } from '../tables/alike-rows.ts'
import type { ChangedJob, ChangedRecord, NewJob, WriteSet } from '../tables/tables.ts'
import type { Connection, Value } from './connection.ts'
import { Fault } from './fault.ts'
import { ManyRows } from './many-rows.ts'

/** Somebody else was faster. */
export function lost(what: string): Fault {
  return new Fault('conflict', what)
}

/** What was read and is not written has to be as it was. */
export function verifyVersions(db: Connection, verify: WriteSet['verify']): void {
  for (const { kind, tenant_id, id, version } of verify) {
    const row =
      kind === 'job'
        ? db.get<{ version: number }>(
            'SELECT version FROM job WHERE tenant_id = ? AND job_id = ?',
            tenant_id,
            id,
          )
        : db.get<{ version: number }>(
            'SELECT version FROM record WHERE kind = ? AND tenant_id = ? AND id = ?',
            kind,
            tenant_id,
            id,
          )
    if ((row?.version ?? 0) !== version) throw lost(`${kind} ${id}`)
  }
}

/** An update that names a column of an index writes the index, also when it stays what it was. */
const GO_ON = `
  UPDATE job SET version = ?, state = ?, changed_at = ?, holds = ?, moving = ?, log = log || ?
  WHERE tenant_id = ? AND job_id = ? AND version = ? AND open_rows = ? AND ended_state IS NULL`

const UPDATE = `
  UPDATE job SET version = ?, state = ?, changed_at = ?, holds = ?, moving = ?, log = log || ?,
    open_rows = ?, ended_state = ?, ended_at = ?
  WHERE tenant_id = ? AND job_id = ? AND version = ?`

export function updateJobs(db: Connection, jobs: readonly ChangedJob[], told: string): void {
  if (jobs.length === 0) return
  const goOn = db.prepare(GO_ON)
  const update = db.prepare(UPDATE)
  for (const job of jobs) {
    const { tenant_id, job_id, version, from, state, changed_at, is_ended, open_rows, moving, isTold } = job
    const holds = JSON.stringify(job.holds)
    const log = isTold ? told : ''
    if (!is_ended) {
      const key = [tenant_id, job_id, from, open_rows] as const
      if (goOn.run(version, state, changed_at, holds, moving, log, ...key).changes === 1) continue
    }
    const ended = is_ended ? ([state, changed_at] as const) : ([null, null] as const)
    const values = [version, state, changed_at, holds, moving, log, open_rows, ...ended] as const
    if (update.run(...values, tenant_id, job_id, from).changes !== 1) throw lost(`job ${job_id}`)
  }
}

const INSERT_JOBS = new ManyRows(
  {
    insert: `
    INSERT INTO job (tenant_id, version, state, changed_at, ended_state, ended_at, open_rows, request_type,
      protocol_id, doc_id, run_id, workstream_id, holds, log, moving, job_id, fixed)`,
    otherwise: 'ON CONFLICT (tenant_id, job_id) DO NOTHING',
  },
  { common: 15, own: 2 },
)

export function insertJobs(db: Connection, jobs: readonly NewJob[], told: string): void {
  for (let at = 0; at < jobs.length; ) {
    const first = jobs[at] as NewJob
    const own: Value[] = [first.job_id, first.fixed]
    for (at++; at < jobs.length && isLike(first, jobs[at] as NewJob); at++) {
      const { job_id, fixed } = jobs[at] as NewJob
      own.push(job_id, fixed)
    }
    const { count } = INSERT_JOBS.insert(db, commonColumns(first, told), own)
    if (2 * count !== own.length) throw lost(`job ${first.job_id}${own.length > 2 ? ' or later' : ''}`)
  }
}

/** Whatever jobs that were submitted alike have in common. */
function commonColumns(job: NewJob, told: string): readonly Value[] {
  const { state, changed_at, is_ended } = job
  return [
    job.tenant_id,
    job.version,
    state,
    changed_at,
    is_ended ? state : null,
    is_ended ? changed_at : null,
    job.open_rows,
    job.request_type,
    job.protocol_id,
    job.doc_id,
    job.run_id,
    job.workstream_id,
    JSON.stringify(job.holds),
    job.isTold ? told : '',
    job.moving,
  ]
}

const INSERT_RECORD = `
  INSERT INTO record (version, state, changed_at, adapter, run_id, body, log, kind, tenant_id, id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (kind, tenant_id, id) DO NOTHING`

const GO_ON_RECORD = `
  UPDATE record SET version = ?, state = ?, changed_at = ?, adapter = ?, run_id = ?, body = ?, log = log || ?
  WHERE kind = ? AND tenant_id = ? AND id = ?`

const UPDATE_RECORD = `${GO_ON_RECORD} AND version = ?`

export function putRecords(db: Connection, records: readonly ChangedRecord[], told: string): void {
  for (const record of records) {
    const { kind, tenant_id, id, version, from, state, changed_at, adapter, run_id, body, isTold } = record
    const values = [version, state, changed_at, adapter, run_id, body, isTold ? told : ''] as const
    const key = [kind, tenant_id, id] as const
    const changes =
      from === 0 ? db.run(INSERT_RECORD, ...values, ...key) : db.run(UPDATE_RECORD, ...values, ...key, from)
    if (changes !== 1) throw lost(`${kind} ${id}`)
  }
}

/** The same of one that may have been written more than once since. */
export function upsertRecord(db: Connection, record: ChangedRecord, isNew: boolean, told: string): void {
  const { kind, tenant_id, id, version, state, changed_at, adapter, run_id, body } = record
  const values = [version, state, changed_at, adapter, run_id, body, told] as const
  const changes = isNew
    ? db.run(INSERT_RECORD, ...values, kind, tenant_id, id)
    : db.run(GO_ON_RECORD, ...values, kind, tenant_id, id)
  if (changes !== 1) throw new Fault('damaged', `${kind} ${id} was written, and is not there`)
}
