// `fold` once more, with the same outcome for less: lines of jobs that are alike are taken apart as what they are (fold-jobs.ts), the
// place among what is ready that a new job has is nobody else's, rows are hashed where they were sorted, and the plan is made once for
// a connection.
import { bodySql, countedSql, logSql, recordsSql, unreadySql } from './fold.ts'
import { foldedJobsSql } from './fold-jobs.ts'

/** Places of the log that are looked at for rows to be put in their places at once. */
const MOST_PLACES = 200_000

/** Room for what is read of some megabytes of parts. */
const WORK_MEM = '64MB'

/** @param s the schema, quoted */
export const foldAgainSql = (s: string): string => `
-- Rows of tables are looked up by their keys, however large the server takes a table for; what was read of the parts is hashed.
CREATE OR REPLACE FUNCTION ${s}.fold(p_bytes bigint) RETURNS bigint[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
SET enable_mergejoin = off SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off SET jit = off
SET work_mem = '${WORK_MEM}' SET plan_cache_mode = force_generic_plan
${bodySql(s, MOST_PLACES, [foldedJobsSql(s), recordsSql(s), countedSql(s), workSql(s), logSql(s)], nothingSql(s))}
`

/** Whoever hears that there is nothing relies on that: a commit that waits for the disk makes durable what others have not waited for. */
const nothingSql = (s: string): string => `UPDATE ${s}.head SET seq = seq WHERE id = 1; `

/**
 * A row of a list of work is added where it was not, and dropped where it was: what is left of both is what there is to do. That a new
 * job is ready can have been said by nobody else: to be prepared for it would take three times as long.
 */
const workSql = (s: string): string => `
  ready AS MATERIALIZED (
    SELECT queue, tenant_id, grp, rank, job_id, sum(n) AS n, bool_or(is_new) AS is_new FROM (
      SELECT r.queue, r.tenant_id, r.grp, COALESCE(t.was_rank, r.rank) AS rank, t.job_id, CASE WHEN r.is_new THEN 1 ELSE -1 END AS n,
        r.is_new
      FROM told t JOIN run r ON r.run = t.run WHERE r.queue IS NOT NULL
      UNION ALL
      SELECT c ->> 0, c ->> 1, c ->> 2, (c ->> 3)::bigint, c ->> 4, 1, false
      FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 6 -> 0) AS c
      UNION ALL
      SELECT c ->> 0, c ->> 1, c ->> 2, (c ->> 3)::bigint, c ->> 4, -1, false
      FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 6 -> 1) AS c
    ) AS w GROUP BY queue, tenant_id, grp, rank, job_id HAVING sum(n) <> 0
  ), ${unreadySql(s)}, ready_first AS (
    INSERT INTO ${s}.ready SELECT queue, tenant_id, grp, rank, job_id FROM ready WHERE n > 0 AND is_new
    ORDER BY rank, job_id COLLATE "C"
  ), ready_again AS (
    INSERT INTO ${s}.ready SELECT queue, tenant_id, grp, rank, job_id FROM ready WHERE n > 0 AND NOT is_new
    ON CONFLICT DO NOTHING
  ), due AS MATERIALIZED (
    SELECT due_at, tenant_id, job_id, sum(n) AS n FROM (
      SELECT r.due_at, r.tenant_id, t.job_id, 1 AS n FROM told t JOIN run r ON r.run = t.run WHERE r.due_at IS NOT NULL
      UNION ALL
      SELECT was_due, tenant_id, job_id, -1 FROM told WHERE was_due IS NOT NULL
      UNION ALL
      SELECT (c ->> 0)::bigint, c ->> 1, c ->> 2, 1 FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 7 -> 0) AS c
      UNION ALL
      SELECT (c ->> 0)::bigint, c ->> 1, c ->> 2, -1 FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 7 -> 1) AS c
    ) AS w GROUP BY due_at, tenant_id, job_id HAVING sum(n) <> 0
  ), undue AS (
    DELETE FROM ${s}.due d USING due w WHERE w.n < 0 AND d.due_at = w.due_at AND d.tenant_id = w.tenant_id AND d.job_id = w.job_id
  ), new_due AS (
    INSERT INTO ${s}.due SELECT due_at, tenant_id, job_id FROM due WHERE n > 0 ON CONFLICT DO NOTHING
  )`
