import { ALONE_KINDS } from '../../core/aggregate.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import type { About } from '../tables/log-parts.ts'
import type { Connection, Value } from './connection.ts'
import { jobWithRow } from './find-outbox.ts'
import { loadClosed } from './load.ts'
import { tenantsOf } from './small-reads.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]

/**
 * Parts of the log that may tell of these records: by the narrowest of what is given, for the entries themselves are looked
 * at afterwards.
 */
export function chunksAbout(db: Connection, about: About): readonly number[] {
  const { id, job_id, doc_id } = about
  const ids = new Ids(db)
  if (id === undefined && job_id === undefined && doc_id === undefined) {
    return db.all<{ first_seq: number }>('SELECT first_seq FROM log').map(({ first_seq }) => first_seq)
  }
  for (const tenant_id of about.tenant_id === undefined ? allTenants(db) : [about.tenant_id]) {
    if (id !== undefined) addRecord(ids, about.kind, tenant_id, id)
    else if (job_id !== undefined) addJob(ids, tenant_id, job_id)
    else if (doc_id !== undefined) addDocument(ids, tenant_id, doc_id)
  }
  return ids.sorted()
}

class Ids {
  readonly db: Connection
  readonly #ids = new Set<number>()

  constructor(db: Connection) {
    this.db = db
  }

  /** By a statement that selects `log`. */
  add(sql: string, ...values: readonly Value[]): void {
    for (const { log } of this.db.all<{ log: string }>(sql, ...values)) {
      // Each id has a comma before it.
      for (const id of log.split(',').slice(1)) this.#ids.add(Number(id))
    }
  }

  sorted(): readonly number[] {
    return [...this.#ids].sort((a, b) => a - b)
  }
}

/** A refusal may be kept for a tenant who has nothing. */
function allTenants(db: Connection): readonly string[] {
  const refused = db.all<{ tenant_id: string }>('SELECT DISTINCT tenant_id FROM refusal')
  return [...new Set([...tenantsOf(db), ...refused.map(({ tenant_id }) => tenant_id)])]
}

function addRecord(ids: Ids, kind: RecordKind | undefined, tenant_id: string, id: string): void {
  if (kind === undefined || kind === 'job') addJob(ids, tenant_id, id)
  if (kind === undefined || kind === 'step') {
    const slash = id.lastIndexOf('/')
    if (slash !== -1) addJob(ids, tenant_id, id.slice(0, slash))
  }
  if (kind === undefined || kind === 'outbox') {
    const row = loadClosed(ids.db, tenant_id, id) ?? jobWithRow(ids.db, tenant_id, id)
    if (row !== null) addJob(ids, tenant_id, row.job_id)
  }
  for (const alone of ALONE_KINDS) {
    if (kind !== undefined && kind !== alone) continue
    ids.add('SELECT log FROM record WHERE kind = ? AND tenant_id = ? AND id = ?', alone, tenant_id, id)
  }
  for (const any of kind === undefined ? KINDS : [kind]) {
    ids.add('SELECT log FROM refusal WHERE tenant_id = ? AND kind = ? AND id = ?', tenant_id, any, id)
  }
}

function addJob(ids: Ids, tenant_id: string, job_id: string): void {
  addJobLog(ids, tenant_id, job_id)
  ids.add('SELECT log FROM refusal WHERE tenant_id = ? AND job_id = ?', tenant_id, job_id)
}

function addDocument(ids: Ids, tenant_id: string, doc_id: string): void {
  addRecord(ids, 'document', tenant_id, doc_id)
  ids.add('SELECT log FROM job WHERE tenant_id = ? AND doc_id = ?', tenant_id, doc_id)
  ids.add(
    `SELECT refusal.log FROM job CROSS JOIN refusal USING (tenant_id, job_id)
     WHERE job.tenant_id = ? AND job.doc_id = ?`,
    tenant_id,
    doc_id,
  )
}

function addJobLog(ids: Ids, tenant_id: string, job_id: string): void {
  ids.add('SELECT log FROM job WHERE tenant_id = ? AND job_id = ?', tenant_id, job_id)
}
