// Puts what is in the tail where it is found: all that some rows of it say, from its beginning, as what it comes to. What was changed
// and changed again is written once. Nobody writes in place meanwhile, and whoever adds to the tail goes on.
import { beginsFoldSql, endsFoldSql } from './tail.ts'
import { sectionOf, sectionsOf } from './tail-parts.ts'

/** Places of the log that are looked at for rows to be put in their places at once. */
const MOST_PLACES = 20_000

/** @param s the schema, quoted */
export const foldSql = (s: string): string => `
-- Up to where everything is in its place, and 1 when that is all there is. Whoever may only read has it done as its owner. As in
-- a write in place, each row is looked up by its key, however large the server takes a table for.
CREATE FUNCTION ${s}.fold(p_bytes bigint) RETURNS bigint[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_indexscan = off
SET enable_indexonlyscan = off SET jit = off
${bodySql(s, MOST_PLACES, [aggregatesSql(s), bookSql(s), workSql(s), logSql(s)])}
`

/**
 * What the function does.
 *
 * @param nothing what it does when nothing is in the tail
 * @param withs what is said in the parts, and becomes of it: among that `job` and `old_job`, which was there before
 */
export const bodySql = (
  s: string,
  mostPlaces: number,
  withs: readonly string[],
  nothing = '',
): string => `AS $fold$
#variable_conflict use_column
DECLARE
  v_head ${s}.head;
  v_last bigint;
  v_end bigint;
  v_missing bigint;
  v_at bigint;
  v_reach bigint;
BEGIN
${beginsFoldSql(s)}
  SELECT * INTO v_head FROM ${s}.head WHERE id = 1;
  SELECT max(b.first_seq), max(b.first_seq + b.places - 1) INTO v_last, v_end FROM (
    SELECT t.first_seq, t.places, sum(octet_length(t.part)) OVER (ORDER BY t.first_seq) - octet_length(t.part) AS before
    FROM ${s}.tail t WHERE t.first_seq > v_head.seq AND t.first_seq <= v_head.seq + ${mostPlaces}
  ) AS b WHERE b.before < p_bytes;
  IF v_last IS NULL THEN ${nothing}RETURN ARRAY[v_head.seq, 1]; END IF;
  WITH part AS MATERIALIZED (
    SELECT t.first_seq, t.places, t.at, t.writer, t.batch, nextval('${s}.chunk_id') AS chunk_id, t.sections,
      ${s}.json_of(${sectionOf('t.sections', 'head')}) AS head
    FROM (SELECT *, ${sectionsOf('part')} AS sections FROM ${s}.tail_now
      WHERE first_seq > v_head.seq AND first_seq <= v_last ORDER BY first_seq) AS t
  ), ${withs.join(', ')}
  SELECT (SELECT count(*) FROM job WHERE fixed IS NULL) - (SELECT count(*) FROM old_job),
    (SELECT max(at) FROM part), (SELECT max((head ->> 2)::bigint) FROM part)
  INTO v_missing, v_at, v_reach;
  IF v_missing > 0 THEN RAISE EXCEPTION '% jobs were written that are not there', v_missing; END IF;
${endsFoldSql(s)}
  DELETE FROM ${s}.tail WHERE first_seq > v_head.seq AND first_seq <= v_last;
  UPDATE ${s}.head SET seq = v_end, records = records + v_end - seq, at = greatest(at, v_at), reach = greatest(reach, v_reach)
    WHERE id = 1;
  RETURN ARRAY[v_end, CASE WHEN EXISTS (SELECT 1 FROM ${s}.tail) THEN 0 ELSE 1 END];
END
$fold$;`

/** The last of several, by its version. */
const last = (column: string, order = 'version'): string => `(array_agg(${column} ORDER BY ${order} DESC))[1]`

/** What one of several says, and no other. */
const said = (column: string): string => `max(${column}) OVER told_of AS ${column}`

const aggregatesSql = (s: string): string => `
  told AS MATERIALIZED (
    SELECT p.first_seq, p.chunk_id, j.* FROM part p CROSS JOIN LATERAL ${s}.jobs_in(p.sections) AS j
  ), job AS MATERIALIZED (
    SELECT * FROM (
      SELECT tenant_id, job_id, version, state, changed_at, is_ended, open_rows, holds, moving,
        row_number() OVER (PARTITION BY tenant_id, job_id ORDER BY version DESC) AS nth,
        array_agg(chunk_id) FILTER (WHERE is_told) OVER told_of AS log,
        ${['fixed', 'request_type', 'protocol_id', 'doc_id', 'run_id', 'workstream_id'].map(said).join(', ')}
      FROM told
      WINDOW told_of AS (PARTITION BY tenant_id, job_id ORDER BY version DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ) AS each WHERE nth = 1
  ), ${putJobsSql(s)}, ${recordsSql(s)}`

/** Jobs, each as it is left: new ones are put where they are found, and those that were there before are changed. */
export const putJobsSql = (s: string): string => `new_job AS (
    INSERT INTO ${s}.job (tenant_id, job_id, request_type, protocol_id, doc_id, run_id, workstream_id, version, changed_at,
      ended_at, open_rows, state, ended_state, holds, log, moving)
    SELECT tenant_id, job_id, request_type, protocol_id, doc_id, run_id, workstream_id, version, changed_at,
      CASE WHEN is_ended THEN changed_at END, open_rows, state, CASE WHEN is_ended THEN state END, holds, log, moving
    FROM job WHERE fixed IS NOT NULL
  ), new_born AS (
    INSERT INTO ${s}.born SELECT tenant_id, job_id, fixed FROM job WHERE fixed IS NOT NULL
  ), old_job AS (
    UPDATE ${s}.job j SET version = w.version, state = w.state, changed_at = w.changed_at,
      ended_state = CASE WHEN w.is_ended THEN w.state END, ended_at = CASE WHEN w.is_ended THEN w.changed_at END,
      open_rows = w.open_rows, holds = w.holds, moving = w.moving, log = j.log || w.log
    FROM job w WHERE w.fixed IS NULL AND j.tenant_id = w.tenant_id AND j.job_id = w.job_id
    RETURNING 1
  )`

/** Records that are aggregates by themselves, and outbox rows that are closed. */
export const recordsSql = (s: string): string => `record AS (
    INSERT INTO ${s}.record AS r (kind, tenant_id, id, adapter, run_id, version, changed_at, state, log, body)
    SELECT kind, tenant_id, id, ${last('adapter')}, ${last('run_id')}, max(version), ${last('changed_at')}, ${last('state')},
      array_agg(DISTINCT p.chunk_id) FILTER (WHERE is_told), ${last('body')}
    FROM part p CROSS JOIN LATERAL ${s}.records_in(p.sections) AS w GROUP BY kind, tenant_id, id
    ON CONFLICT (kind, tenant_id, id) DO UPDATE SET adapter = excluded.adapter, run_id = excluded.run_id,
      version = excluded.version, changed_at = excluded.changed_at, state = excluded.state, log = r.log || excluded.log,
      body = excluded.body
  ), closed AS (
    INSERT INTO ${s}.closed_outbox (tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
    SELECT tenant_id, outbox_id, ${['job_id', 'step_id', 'state', 'changed_at', 'body'].map((column) => last(column, 'p.first_seq')).join(', ')}
    FROM part p CROSS JOIN LATERAL ${s}.closed_in(p.sections) AS w GROUP BY tenant_id, outbox_id
    ON CONFLICT (tenant_id, outbox_id) DO UPDATE SET job_id = excluded.job_id, step_id = excluded.step_id,
      state = excluded.state, changed_at = excluded.changed_at, body = excluded.body
  )`

const bookSql = (s: string): string => `
  claim AS (
    INSERT INTO ${s}.claim
    SELECT tenant_id, claim, job_id FROM told WHERE claim IS NOT NULL
    UNION ALL
    SELECT c ->> 0, c ->> 1, c ->> 2 FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 8) AS c
    ORDER BY 1, 2
  ), ${countedSql(s)}`

/** Limits, and how many records are in each state. */
export const countedSql = (s: string): string => `slot AS (
    INSERT INTO ${s}.slot AS t (tenant_id, key, version, counted, named)
    SELECT c ->> 0, c ->> 1, count(*) FILTER (WHERE jsonb_typeof(c -> 3) = 'array'), sum((c ->> 2)::bigint),
      COALESCE((array_agg(c ->> 3 ORDER BY first_seq DESC) FILTER (WHERE jsonb_typeof(c -> 3) = 'array'))[1], '[]')
    FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 9) AS c GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (tenant_id, key) DO UPDATE SET version = t.version + excluded.version,
      counted = t.counted + excluded.counted,
      named = CASE WHEN excluded.version > 0 THEN excluded.named ELSE t.named END
  ), count AS (
    INSERT INTO ${s}.state_count AS t (tenant_id, kind, state, n)
    SELECT c ->> 0, c ->> 1, c ->> 2, sum((c ->> 3)::bigint)
    FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 10) AS c GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = t.n + excluded.n
  )`

/** A row of a list of work is added where it was not, and dropped where it was: what is left of both is what there is to do. */
const workSql = (s: string): string => `
  ready AS MATERIALIZED (
    SELECT queue, tenant_id, grp, rank, job_id, sum(n) AS n FROM (
      SELECT queue, tenant_id, grp, rank, job_id, 1 AS n FROM told WHERE queue IS NOT NULL
      UNION ALL
      SELECT was_queue, tenant_id, was_grp, was_rank, job_id, -1 FROM told WHERE was_queue IS NOT NULL
      UNION ALL
      SELECT c ->> 0, c ->> 1, c ->> 2, (c ->> 3)::bigint, c ->> 4, 1
      FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 6 -> 0) AS c
      UNION ALL
      SELECT c ->> 0, c ->> 1, c ->> 2, (c ->> 3)::bigint, c ->> 4, -1
      FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 6 -> 1) AS c
    ) AS w GROUP BY queue, tenant_id, grp, rank, job_id HAVING sum(n) <> 0
  ), ${unreadySql(s)}, new_ready AS (
    INSERT INTO ${s}.ready SELECT queue, tenant_id, grp, rank, job_id FROM ready WHERE n > 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT DO NOTHING
  ), due AS MATERIALIZED (
    SELECT due_at, tenant_id, job_id, sum(n) AS n FROM (
      SELECT (c ->> 0)::bigint AS due_at, c ->> 1 AS tenant_id, c ->> 2 AS job_id, 1 AS n
      FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 7 -> 0) AS c
      UNION ALL
      SELECT due_at, tenant_id, job_id, 1 FROM told WHERE due_at IS NOT NULL
      UNION ALL
      SELECT was_due, tenant_id, job_id, -1 FROM told WHERE was_due IS NOT NULL
      UNION ALL
      SELECT (c ->> 0)::bigint, c ->> 1, c ->> 2, -1
      FROM part CROSS JOIN LATERAL jsonb_array_elements(head -> 7 -> 1) AS c
    ) AS w GROUP BY due_at, tenant_id, job_id HAVING sum(n) <> 0
  ), undue AS (
    DELETE FROM ${s}.due d USING due w WHERE w.n < 0 AND d.due_at = w.due_at AND d.tenant_id = w.tenant_id AND d.job_id = w.job_id
  ), new_due AS (
    INSERT INTO ${s}.due SELECT due_at, tenant_id, job_id FROM due WHERE n > 0 ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
  )`

/** What is no longer ready. */
export const unreadySql = (s: string): string => `unready AS (
    DELETE FROM ${s}.ready y USING ready w
    WHERE w.n < 0 AND y.queue = w.queue AND y.tenant_id = w.tenant_id AND y.grp = w.grp AND y.rank = w.rank
      AND y.job_id = w.job_id
  )`

export const logSql = (s: string): string => `
  log AS (
    INSERT INTO ${s}.log (first_seq, places, chunk_id, first_at, last_at, reach, at, tags, sketch, entries)
    SELECT first_seq, places, chunk_id, (head ->> 1)::bigint, (head ->> 2)::bigint,
      greatest(v_head.reach, max((head ->> 2)::bigint) OVER (ORDER BY first_seq)),
      to_timestamp(greatest(v_head.at, max(at) OVER (ORDER BY first_seq)) / 1000.0),
      COALESCE(${s}.texts_of(head -> 4), '{}'), (head -> 5)::text, ${sectionOf('sections', 'entries')}
    FROM part
  ), writer AS (
    INSERT INTO ${s}.writer AS w (id, batch, seen_at) SELECT writer, max(batch), now() FROM part GROUP BY writer
    ON CONFLICT (id) DO UPDATE SET batch = greatest(w.batch, excluded.batch), seen_at = now()
  )`
