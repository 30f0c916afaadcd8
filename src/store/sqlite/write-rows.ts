import type { ClosedRow } from '../tables/tables.ts'
import type { Connection } from './connection.ts'

export function putRows(db: Connection, rows: readonly ClosedRow[]): void {
  if (rows.length === 0) return
  const put = db.prepare(`
    INSERT INTO closed_outbox (tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, outbox_id) DO UPDATE SET
      job_id = excluded.job_id, step_id = excluded.step_id, state = excluded.state,
      changed_at = excluded.changed_at, body = excluded.body`)
  for (const { tenant_id, outbox_id, job_id, step_id, state, changed_at, body } of rows) {
    put.run(tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
  }
}
