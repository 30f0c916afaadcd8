// The function that writes, once more, for new jobs that are alike: what they have in common comes once, and what is ready with
// them need not come at all. Nobody can have put a job there that is only being made: to be prepared for it costs a record of the
// database's log for each.
import { functionSql } from './write-rows.ts'

/** @param s the schema, quoted @param channel for notifications */
export const writeAlikeSql = (s: string, channel: string): string => `
${functionSql(s, channel, { name: 'write_alike', parameters: parametersSql(s), newJobs: alikeSql(s) })}
`

/** One job with what all of them have, the place in which one of them is ready, and what is their own. */
const parametersSql = (s: string): string => `,
  p_alike ${s}.new_job[], p_place ${s}.ready[], p_born ${s}.born[]`

const alikeSql = (s: string): string => `
  WITH job AS (
    INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, ended_state, ended_at, request_type, protocol_id,
      doc_id, run_id, workstream_id, open_rows, holds, moving, log)
    SELECT b.tenant_id, b.job_id, w.version, w.state, w.changed_at, CASE WHEN w.is_ended THEN w.state END,
      CASE WHEN w.is_ended THEN w.changed_at END, w.request_type, w.protocol_id, w.doc_id, w.run_id, w.workstream_id,
      w.open_rows, w.holds, w.moving, CASE WHEN w.is_told AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
    FROM unnest(p_alike) AS w CROSS JOIN unnest(p_born) AS b
  ), born AS (
    INSERT INTO ${s}.born SELECT * FROM unnest(p_born)
  )
  INSERT INTO ${s}.ready SELECT y.queue, y.tenant_id, y.grp, y.rank, b.job_id
  FROM unnest(p_place) AS y CROSS JOIN unnest(p_born) AS b;`
