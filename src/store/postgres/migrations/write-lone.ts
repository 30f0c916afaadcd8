// The functions that write new jobs, for the two ways in which most of them come: many that are alike, and one by itself.
import { CONFLICT_STATE, STRANGER_STATE } from './write-function.ts'
import { type Beside, functionSql } from './write-rows.ts'

const conflict = (what: string) =>
  `RAISE EXCEPTION '${what} changed since' USING ERRCODE = '${CONFLICT_STATE}';`

/** @param s the schema, quoted @param channel for notifications */
export const writeLoneSql = (s: string, channel: string, more: Beside = {}): string => `
DROP FUNCTION ${s}.write_alike;
${functionSql(s, channel, { name: 'write_alike', parameters: parametersSql(s), newJobs: alikeSql(s), ...more })}
ALTER FUNCTION ${s}.write_alike SET enable_indexscan = off;
ALTER FUNCTION ${s}.write_alike SET enable_indexonlyscan = off;
${loneSql(s, channel, more)}
`

/** One job with what all of them have, the place in which one of them is ready, and what is their own; claims are theirs. */
const parametersSql = (s: string): string => `,
  p_alike ${s}.new_job[], p_place ${s}.ready[], p_ids text[], p_fixed text[], p_keys text[], p_owners text[]`

/** As before, but a list for each column: of three or four it takes the server less to take apart than a list of rows. */
const alikeSql = (s: string): string => `
  WITH job AS (
    INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, ended_state, ended_at, request_type, protocol_id,
      doc_id, run_id, workstream_id, open_rows, holds, moving, log)
    SELECT w.tenant_id, b.job_id, w.version, w.state, w.changed_at, CASE WHEN w.is_ended THEN w.state END,
      CASE WHEN w.is_ended THEN w.changed_at END, w.request_type, w.protocol_id, w.doc_id, w.run_id, w.workstream_id,
      w.open_rows, w.holds, w.moving, CASE WHEN w.is_told AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
    FROM unnest(p_alike) AS w CROSS JOIN unnest(p_ids) AS b(job_id)
  ), born AS (
    INSERT INTO ${s}.born SELECT w.tenant_id, b.job_id, b.fixed
    FROM unnest(p_alike) AS w CROSS JOIN unnest(p_ids, p_fixed) AS b(job_id, fixed)
  ), claim AS (
    INSERT INTO ${s}.claim SELECT w.tenant_id, c.key, c.owner
    FROM unnest(p_alike) AS w CROSS JOIN unnest(p_keys, p_owners) AS c(key, owner)
  )
  INSERT INTO ${s}.ready SELECT y.queue, y.tenant_id, y.grp, y.rank, b.job_id
  FROM unnest(p_place) AS y CROSS JOIN unnest(p_ids) AS b(job_id);`

/**
 * One new job with its claim, its place in a queue, under a limit and in the log. Where only one row is written, most of what a
 * statement takes is to begin and to end it, and to take lists of one apart. Its limit and its counts are known to be there.
 * Each statement names one row by its key: there is only one way to find it, however large the server takes a table for.
 */
const loneSql = (s: string, channel: string, more: Beside): string => `
CREATE FUNCTION ${s}.write_lone(
  p_writer text, p_batch bigint, p_news text, p_at bigint, p_tenant text, p_job text, p_state text, p_changed_at bigint,
  p_type text, p_protocol text, p_doc text, p_run text, p_workstream text, p_holds text[], p_fixed text, p_key text,
  p_queue text, p_group text, p_rank bigint, p_slot text, p_most bigint, p_step_state text, p_steps bigint,
  p_places bigint, p_first_at bigint, p_last_at bigint, p_tags text[], p_sketch text, p_entries text
) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off AS $write$
DECLARE
  v_chunk bigint := nextval('${s}.chunk_id');
  v_head ${s}.head;
BEGIN${more.begins ?? ''}
  UPDATE ${s}.writer SET batch = p_batch, seen_at = now() WHERE id = p_writer AND NOT is_over;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such writer' USING ERRCODE = '${STRANGER_STATE}'; END IF;
  INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, request_type, protocol_id, doc_id, run_id,
    workstream_id, open_rows, holds, log)
  VALUES (p_tenant, p_job, 1, p_state, p_changed_at, p_type, p_protocol, p_doc, p_run, p_workstream, 0, p_holds,
    ARRAY[v_chunk]);
  INSERT INTO ${s}.born VALUES (p_tenant, p_job, p_fixed);
  INSERT INTO ${s}.claim VALUES (p_tenant, p_key, p_job);
  INSERT INTO ${s}.ready VALUES (p_queue, p_tenant, p_group, p_rank, p_job);
  UPDATE ${s}.slot SET counted = counted + 1
    WHERE tenant_id = p_tenant AND key = p_slot AND (p_most IS NULL OR counted <= p_most);
  IF NOT FOUND THEN ${conflict('a limit')} END IF;
  UPDATE ${s}.state_count SET n = n + 1 WHERE tenant_id = p_tenant AND kind = 'job' AND state = p_state;
  IF NOT FOUND THEN ${conflict('a count')} END IF;
  UPDATE ${s}.state_count SET n = n + p_steps WHERE tenant_id = p_tenant AND kind = 'step' AND state = p_step_state;
  IF NOT FOUND THEN ${conflict('a count')} END IF;${more.beforeHead ?? ''}
  UPDATE ${s}.head SET seq = seq + p_places, records = records + p_places, at = greatest(at, p_at),
    reach = greatest(reach, p_last_at)${more.sets ?? ''}
    WHERE id = 1 RETURNING * INTO v_head;
  INSERT INTO ${s}.log (first_seq, places, chunk_id, first_at, last_at, reach, at, tags, sketch, entries)
  VALUES (v_head.seq - p_places + 1, p_places, v_chunk, p_first_at, p_last_at, v_head.reach,
    to_timestamp(v_head.at / 1000.0), p_tags, p_sketch, p_entries);
  IF p_news <> v_head.listener THEN PERFORM pg_notify('${channel}', p_news); END IF;
  RETURN ARRAY[v_head.seq, v_head.at, v_head.records, v_head.removed, 0${more.answers ?? ''}];
END
$write$;`
