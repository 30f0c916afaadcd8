import type { AloneKind } from '../../core/aggregate.ts'
import type { ClosedRow, JobRow, Loaded, RecordRow, SlotRow, Wanted } from '../tables/tables.ts'
import { loadClaim } from './claims.ts'
import type { Connection, Value } from './connection.ts'

type StoredJob = Omit<JobRow, 'holds'> & { readonly holds: string }

export const JOB_COLUMNS = 'tenant_id, job_id, version, holds, fixed, moving'
export const CLOSED_COLUMNS = 'tenant_id, outbox_id, job_id, step_id, state, changed_at, body'

function jobRow(row: StoredJob): JobRow {
  const { tenant_id, job_id, version, fixed, moving } = row
  return { tenant_id, job_id, version, holds: JSON.parse(row.holds), fixed, moving }
}

/** Jobs by a statement that selects `JOB_COLUMNS`. */
export function jobRows(db: Connection, sql: string, ...values: readonly Value[]): readonly JobRow[] {
  return db.all<StoredJob>(sql, ...values).map(jobRow)
}

export function loadJob(db: Connection, tenant_id: string, job_id: string): JobRow | null {
  const sql = `SELECT ${JOB_COLUMNS} FROM job WHERE tenant_id = ? AND job_id = ?`
  const row = db.get<StoredJob>(sql, tenant_id, job_id)
  return row === undefined ? null : jobRow(row)
}

export function load(db: Connection, wanted: Wanted): Loaded {
  return {
    jobs: present(wanted.jobs.map(({ tenant_id, id }) => loadJob(db, tenant_id, id))),
    records: present(
      wanted.records.map(({ kind, tenant_id, id }) => loadRecord(db, kind as AloneKind, tenant_id, id)),
    ),
    claims: present(wanted.claims.map((claim) => loadClaim(db, claim))),
    slots: present(wanted.slots.map(({ tenant_id, key }) => loadSlot(db, tenant_id, key))),
    refusals: present(
      wanted.refusals.map(({ tenant_id, kind, id }) =>
        db.get<Loaded['refusals'][number]>(
          'SELECT tenant_id, kind, id, count FROM refusal WHERE tenant_id = ? AND kind = ? AND id = ?',
          tenant_id,
          kind,
          id,
        ),
      ),
    ),
    rows: present(wanted.rows.map(({ tenant_id, id }) => loadClosed(db, tenant_id, id))),
  }
}

export function loadClosed(db: Connection, tenant_id: string, outbox_id: string): ClosedRow | undefined {
  const sql = `SELECT ${CLOSED_COLUMNS} FROM closed_outbox WHERE tenant_id = ? AND outbox_id = ?`
  return db.get<ClosedRow>(sql, tenant_id, outbox_id)
}

function loadRecord(db: Connection, kind: AloneKind, tenant_id: string, id: string): RecordRow | undefined {
  return db.get<RecordRow>(
    'SELECT kind, tenant_id, id, version, body FROM record WHERE kind = ? AND tenant_id = ? AND id = ?',
    kind,
    tenant_id,
    id,
  )
}

function loadSlot(db: Connection, tenant_id: string, key: string): SlotRow | undefined {
  const row = db.get<Omit<SlotRow, 'named'> & { named: string }>(
    'SELECT tenant_id, key, version, counted, named FROM slot WHERE tenant_id = ? AND key = ?',
    tenant_id,
    key,
  )
  return row === undefined ? undefined : { ...row, named: JSON.parse(row.named) }
}

function present<T>(rows: readonly (T | null | undefined)[]): readonly T[] {
  return rows.filter((row): row is T => row !== undefined && row !== null)
}
