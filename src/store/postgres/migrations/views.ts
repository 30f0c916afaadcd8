// Views for people with SQL, documented by their columns; the tables behind them are nobody's business. The functions
// read what rows have as JSON, and are used to find steps and outbox rows as well.
import { ATTEMPT_ENDS, UNFINISHED_DOCUMENT } from '../../tables/view-states.ts'
import { USUAL_JOB, USUAL_STEP } from '../../usual-fields.ts'
import { sectionOf, sectionsOf } from './tail-parts.ts'

/** @param s the schema, quoted */
export const viewsSql = (s: string): string => `
-- PostgreSQL refuses a NUL and half a character in JSON. Only those, and control characters, are written as escapes.
CREATE FUNCTION ${s}.readable(written text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  CASE WHEN position('\\u' IN written) = 0 THEN written::jsonb
  ELSE regexp_replace(written, '\\\\u[0-9a-fA-F]{4}', '\\\\ufffd', 'g')::jsonb END;

CREATE FUNCTION ${s}.ms_of(iso text) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN
  round(extract(epoch FROM iso::timestamptz) * 1000)::bigint;

-- Stages that were reported later are not among what the job was at first.
CREATE FUNCTION ${s}.last_step(born jsonb, now jsonb) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
  greatest(jsonb_array_length(born -> 'steps') - 1, (SELECT max(k::int) FROM jsonb_object_keys(now -> 'steps') AS k));

CREATE FUNCTION ${s}.steps_of(fixed text, moving text)
RETURNS TABLE (step_index int, step_id text, state text, service text, queue text, changed_at bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 4 AS $steps$
  SELECT n.index, COALESCE(born.step ->> 'step_id', now.step ->> 'step_id'),
    COALESCE(now.step ->> 'state', born.step ->> 'state'),
    COALESCE(now.step ->> 'service', born.step ->> 'service'),
    COALESCE(now.step ->> 'queue', born.step ->> 'queue'),
    ${s}.ms_of(COALESCE(now.step ->> 'updated_at', born.step ->> 'updated_at', whole.job ->> 'updated_at'))
  FROM (SELECT ${s}.readable(fixed) AS born, ${s}.readable(moving) AS now OFFSET 0) AS read
  CROSS JOIN LATERAL (SELECT read.born -> 'job' AS job) AS whole
  CROSS JOIN LATERAL generate_series(0, ${s}.last_step(read.born, read.now)) AS n(index)
  CROSS JOIN LATERAL (SELECT read.born -> 'steps' -> n.index AS step) AS born
  CROSS JOIN LATERAL (SELECT read.now -> 'steps' -> n.index::text AS step) AS now
$steps$;

CREATE FUNCTION ${s}.open_outbox_of(moving text)
RETURNS TABLE (outbox_id text, step_id text, state text, changed_at bigint, body jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $rows$
  SELECT r ->> 'outbox_id', r ->> 'step_id', r ->> 'state', ${s}.ms_of(r ->> 'updated_at'), r
  FROM jsonb_array_elements(${s}.readable(moving) -> 'outbox') AS r
$rows$;

${documentedViews(s, {
  create: 'CREATE VIEW',
  born: (b) => `${s}.job j JOIN ${s}.born ${b} ON ${b}.tenant_id = j.tenant_id AND ${b}.job_id = j.job_id`,
  job: `${s}.job`,
  record: `${s}.record`,
  closed: `${s}.closed_outbox`,
  log: `${s}.log`,
})}
`

/** What the views look into. */
interface Sources {
  readonly create: string
  /** Jobs, as `j`, and under another name what they were when they were new. */
  readonly born: (name: string) => string
  readonly job: string
  readonly record: string
  readonly closed: string
  readonly log: string
}

const documentedViews = (s: string, from: Sources): string =>
  [jobViews(s, from), recordViews(s, from), historyViews(s, from)].join('\n')

const jobViews = (s: string, from: Sources): string => `
${from.create} ${s}.jobs AS
SELECT j.tenant_id, j.job_id, j.state, j.request_type, j.protocol_id, j.doc_id, j.run_id, j.workstream_id,
  (r.record ->> 'priority')::int AS priority, r.record ->> 'current_step_id' AS current_step_id,
  (r.record ->> 'attempts_total')::int AS attempts_total, r.record ->> 'idempotency_key' AS idempotency_key,
  r.record ->> 'error_code' AS error_code, r.record ->> 'error_message' AS error_message,
  (r.record ->> 'created_at')::timestamptz AS created_at, to_timestamp(j.changed_at / 1000.0) AS updated_at,
  (r.record ->> 'completed_at')::timestamptz AS completed_at, (r.record ->> 'due_at')::timestamptz AS due_at,
  r.record -> 'payload' AS payload, r.record -> 'tags' AS tags, r.record
FROM ${from.born('b')}
CROSS JOIN LATERAL (SELECT '${JSON.stringify(USUAL_JOB)}'::jsonb || (${s}.readable(b.fixed) -> 'job')
  || COALESCE(${s}.readable(j.moving) -> 'job', '{}') AS record) AS r;

${from.create} ${s}.steps AS
SELECT j.tenant_id, j.job_id, r.record ->> 'step_id' AS step_id, (r.record ->> 'step_index')::int AS step_index,
  r.record ->> 'step_type' AS step_type, r.record ->> 'service' AS service, r.record ->> 'queue' AS queue,
  r.record ->> 'state' AS state, (r.record ->> 'attempt_no')::int AS attempt_no, r.record ->> 'lease_id' AS lease_id,
  r.record ->> 'holder' AS holder, (r.record ->> 'lease_expires_at')::timestamptz AS lease_expires_at,
  r.record ->> 'last_error_code' AS last_error_code, r.record ->> 'last_error_message' AS last_error_message,
  (r.record ->> 'created_at')::timestamptz AS created_at, (r.record ->> 'updated_at')::timestamptz AS updated_at,
  (r.record ->> 'completed_at')::timestamptz AS completed_at, r.record
FROM ${from.born('f')}
CROSS JOIN LATERAL (SELECT ${s}.readable(f.fixed) AS born, ${s}.readable(j.moving) AS now OFFSET 0) AS read
CROSS JOIN LATERAL generate_series(0, ${s}.last_step(read.born, read.now)) AS n(index)
CROSS JOIN LATERAL (SELECT '${JSON.stringify(USUAL_STEP)}'::jsonb
  || (SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each(read.born -> 'job') AS f WHERE f.key IN
    ('tenant_id', 'job_id', 'state_since', 'created_at', 'updated_at', 'input_ref', 'output_ref', 'etag'))
  || COALESCE(read.born -> 'steps' -> n.index, '{}') || COALESCE(read.now -> 'steps' -> n.index::text, '{}') AS record) AS r;

${from.create} ${s}.outbox AS
SELECT o.tenant_id, o.outbox_id, o.job_id, o.step_id, o.state, to_timestamp(o.changed_at / 1000.0) AS updated_at,
  r.record ->> 'topic' AS topic, (r.record ->> 'tries')::int AS tries, r.record ->> 'lease_id' AS lease_id,
  (r.record ->> 'attempt_no')::int AS attempt_no, r.record ->> 'last_error_code' AS last_error_code, r.record
FROM (
  SELECT tenant_id, outbox_id, job_id, step_id, state, changed_at, ${s}.readable(body) AS record FROM ${from.closed}
  UNION ALL
  SELECT j.tenant_id, o.outbox_id, j.job_id, o.step_id, o.state, o.changed_at, o.body
  FROM ${from.job} j CROSS JOIN LATERAL ${s}.open_outbox_of(j.moving) AS o WHERE j.open_rows > 0
) AS o CROSS JOIN LATERAL (SELECT o.record) AS r;
`

const recordViews = (s: string, from: Sources): string => `
${from.create} ${s}.documents AS
SELECT d.tenant_id, d.id AS doc_id, d.state, d.adapter, to_timestamp(d.changed_at / 1000.0) AS updated_at,
  (r.record ->> 'retry_count')::int AS retry_count, (r.record ->> 'max_retries')::int AS max_retries,
  r.record ->> 'error_type' AS error_type, r.record ->> 'error_message' AS error_message,
  r.record -> 'metadata' AS metadata, r.record
FROM ${from.record} d CROSS JOIN LATERAL (SELECT ${s}.readable(d.body) AS record) AS r WHERE d.kind = 'document';

${from.create} ${s}.stuck_documents AS
SELECT d.tenant_id, d.id AS doc_id, d.state, d.adapter, to_timestamp(d.changed_at / 1000.0) AS since,
  extract(epoch FROM now() - to_timestamp(d.changed_at / 1000.0))::float8 / 3600 AS hours
FROM ${from.record} d
WHERE d.kind = 'document' AND d.state IN (${UNFINISHED_DOCUMENT})
  AND d.changed_at <= extract(epoch FROM now()) * 1000 - 3600000;

${from.create} ${s}.runs AS
SELECT d.tenant_id, d.id AS run_id, d.state, to_timestamp(d.changed_at / 1000.0) AS updated_at, ${s}.readable(d.body) AS record
FROM ${from.record} d WHERE d.kind = 'run';

${from.create} ${s}.workstreams AS
SELECT d.tenant_id, d.id AS workstream_id, d.run_id, d.state, to_timestamp(d.changed_at / 1000.0) AS updated_at,
  ${s}.readable(d.body) AS record
FROM ${from.record} d WHERE d.kind = 'workstream';

${from.create} ${s}.queues AS
SELECT d.id AS queue, d.state, to_timestamp(d.changed_at / 1000.0) AS updated_at,
  (${s}.readable(d.body) ->> 'concurrency')::int AS concurrency, ${s}.readable(d.body) AS record
FROM ${from.record} d WHERE d.kind = 'queue';

${from.create} ${s}.schedules AS
SELECT d.tenant_id, d.id AS schedule_id, d.state, to_timestamp(d.changed_at / 1000.0) AS updated_at,
  r.record ->> 'cron' AS cron, r.record ->> 'timezone' AS timezone, (r.record ->> 'next_at')::timestamptz AS next_at, r.record
FROM ${from.record} d CROSS JOIN LATERAL (SELECT ${s}.readable(d.body) AS record) AS r WHERE d.kind = 'schedule';

-- Without the hash: whoever looks at views has no use for it.
${from.create} ${s}.tokens AS
SELECT d.id AS token_id, d.state, to_timestamp(d.changed_at / 1000.0) AS updated_at, r.record ->> 'name' AS name,
  r.record ->> 'role' AS role, r.record -> 'tenants' AS tenants, (r.record ->> 'expires_at')::timestamptz AS expires_at, r.record
FROM ${from.record} d CROSS JOIN LATERAL (SELECT ${s}.readable(d.body) - 'hash' AS record) AS r WHERE d.kind = 'token';
`

const historyViews = (s: string, from: Sources): string => `
-- Positions within patterns and entries are part of the format; see entry-codec.ts.
${from.create} ${s}.events AS
SELECT l.first_seq + p.place AS seq, to_timestamp((p.pattern ->> 5)::float8) AS timestamp, p.pattern ->> 0 AS event,
  p.pattern ->> 1 AS tenant_id, p.pattern ->> 2 AS kind, concat(p.own ->> 1, p.pattern ->> 3) AS id, p.own ->> 4 AS doc_id,
  CASE WHEN p.pattern ->> 3 IS NULL THEN p.own ->> 5 ELSE p.own ->> 1 END AS job_id,
  p.pattern -> 4 ->> (p.hop - 1) AS old_state, p.pattern -> 4 ->> p.hop AS new_state, p.pattern ->> 6 AS adapter,
  CASE WHEN p.hop = p.hops THEN p.pattern ->> 7 END AS error_type,
  CASE WHEN p.hop = p.hops THEN p.pattern ->> 8 END AS error_message,
  CASE WHEN p.hop = p.hops THEN p.pattern ->> 9 END AS traceback,
  (p.pattern ->> 10)::int AS retry_count, (p.pattern ->> 11)::int AS max_retries,
  CASE WHEN p.hop = 1 THEN (p.own ->> 2)::float8 ELSE 0 END AS duration_seconds,
  CASE WHEN p.pattern ->> 14 IS NULL THEN p.own -> 3
    ELSE jsonb_build_object('step_id', p.pattern -> 14, 'attempt_no', p.pattern -> 15, 'lease_id', p.own -> 3) END AS metadata,
  p.pattern ->> 12 AS actor, p.pattern ->> 13 AS reason
FROM ${from.log} l CROSS JOIN LATERAL (
  SELECT row_number() OVER (ORDER BY e.ord, h.hop) - 1 AS place, e.own, n.pattern, h.hop, n.hops
  FROM (SELECT ${s}.readable(l.entries) AS chunk OFFSET 0) AS c
  CROSS JOIN LATERAL jsonb_array_elements(c.chunk -> 'entries') WITH ORDINALITY AS e(own, ord)
  CROSS JOIN LATERAL (SELECT f.pattern, jsonb_array_length(f.pattern -> 4) - 1 AS hops
    FROM (SELECT c.chunk -> 'patterns' -> (e.own ->> 0)::int AS pattern OFFSET 0) AS f) AS n
  CROSS JOIN LATERAL generate_series(1, n.hops) AS h(hop)
) AS p
WHERE l.first_seq + p.place > (SELECT h.removed FROM ${s}.head h);

${from.create} ${s}.step_attempts AS
SELECT e.tenant_id, e.job_id, e.metadata ->> 'step_id' AS step_id, (e.metadata ->> 'attempt_no')::int AS attempt_no,
  max(e.metadata ->> 'lease_id') AS lease_id, min(e.timestamp) AS started_at,
  min(e.timestamp) FILTER (WHERE e.new_state IN (${ATTEMPT_ENDS})) AS ended_at,
  (array_agg(e.new_state ORDER BY e.seq) FILTER (WHERE e.new_state IN (${ATTEMPT_ENDS})))[1] AS outcome,
  (array_agg(e.error_type ORDER BY e.seq DESC) FILTER (WHERE e.error_type IS NOT NULL))[1] AS error_type,
  (array_agg(e.error_message ORDER BY e.seq DESC) FILTER (WHERE e.error_message IS NOT NULL))[1] AS error_message
FROM ${s}.events e
WHERE e.kind = 'step' AND e.event = 'moved' AND (e.metadata ->> 'attempt_no')::int > 0
GROUP BY 1, 2, 3, 4;
`

/** The same views over what is in the tail as well: jobs, records and the log as they are by now. */
export const viewsNowSql = (s: string): string => `
CREATE VIEW ${s}.part_now AS SELECT t.first_seq, ${sectionsOf('t.part')} AS sections FROM ${s}.tail_now t;

CREATE VIEW ${s}.job_now AS
WITH told AS MATERIALIZED (
  SELECT DISTINCT ON (w.tenant_id, w.job_id) w.tenant_id COLLATE "C" AS tenant_id, w.job_id COLLATE "C" AS job_id, w.state,
    w.changed_at, w.open_rows, w.moving
  FROM ${s}.part_now p CROSS JOIN LATERAL ${s}.jobs_in(p.sections) AS w ORDER BY w.tenant_id, w.job_id, w.version DESC
)
SELECT j.tenant_id, j.job_id, COALESCE(t.state, j.state) COLLATE "C" AS state, j.request_type, j.protocol_id, j.doc_id,
  j.run_id, j.workstream_id, COALESCE(t.changed_at, j.changed_at) AS changed_at, COALESCE(t.open_rows, j.open_rows) AS open_rows,
  b.fixed, COALESCE(t.moving, j.moving) COLLATE "C" AS moving
FROM ${s}.job j JOIN ${s}.born b ON b.tenant_id = j.tenant_id AND b.job_id = j.job_id
LEFT JOIN told t ON t.tenant_id = j.tenant_id AND t.job_id = j.job_id
UNION ALL
SELECT t.tenant_id, t.job_id, t.state COLLATE "C", w.request_type COLLATE "C", w.protocol_id COLLATE "C",
  w.doc_id COLLATE "C", w.run_id COLLATE "C", w.workstream_id COLLATE "C", t.changed_at, t.open_rows,
  w.fixed COLLATE "C", t.moving COLLATE "C"
FROM ${s}.part_now p CROSS JOIN LATERAL ${s}.born_in(p.sections) AS w
JOIN told t ON t.tenant_id = w.tenant_id AND t.job_id = w.job_id;

CREATE VIEW ${s}.record_now AS
WITH told AS MATERIALIZED (
  SELECT DISTINCT ON (w.kind, w.tenant_id, w.id) w.kind COLLATE "C" AS kind, w.tenant_id COLLATE "C" AS tenant_id,
    w.id COLLATE "C" AS id, w.state COLLATE "C" AS state, w.adapter COLLATE "C" AS adapter, w.run_id COLLATE "C" AS run_id,
    w.changed_at, w.body COLLATE "C" AS body
  FROM ${s}.part_now p CROSS JOIN LATERAL ${s}.records_in(p.sections) AS w ORDER BY w.kind, w.tenant_id, w.id, w.version DESC
)
SELECT r.kind, r.tenant_id, r.id, r.state, r.adapter, r.run_id, r.changed_at, r.body FROM ${s}.record r
WHERE NOT EXISTS (SELECT 1 FROM told t WHERE t.kind = r.kind AND t.tenant_id = r.tenant_id AND t.id = r.id)
UNION ALL
SELECT t.kind, t.tenant_id, t.id, t.state, t.adapter, t.run_id, t.changed_at, t.body FROM told t;

CREATE VIEW ${s}.closed_now AS
WITH told AS MATERIALIZED (
  SELECT DISTINCT ON (w.tenant_id, w.outbox_id) w.tenant_id COLLATE "C" AS tenant_id, w.outbox_id COLLATE "C" AS outbox_id,
    w.job_id COLLATE "C" AS job_id, w.step_id COLLATE "C" AS step_id, w.state COLLATE "C" AS state, w.changed_at,
    w.body COLLATE "C" AS body
  FROM ${s}.part_now p CROSS JOIN LATERAL ${s}.closed_in(p.sections) AS w ORDER BY w.tenant_id, w.outbox_id, p.first_seq DESC
)
SELECT o.tenant_id, o.outbox_id, o.job_id, o.step_id, o.state, o.changed_at, o.body FROM ${s}.closed_outbox o
WHERE NOT EXISTS (SELECT 1 FROM told t WHERE t.tenant_id = o.tenant_id AND t.outbox_id = o.outbox_id)
UNION ALL
SELECT t.tenant_id, t.outbox_id, t.job_id, t.step_id, t.state, t.changed_at, t.body FROM told t;

CREATE VIEW ${s}.log_now AS
SELECT l.first_seq, l.entries FROM ${s}.log l
UNION ALL
SELECT p.first_seq, ${sectionOf('p.sections', 'entries')} COLLATE "C" FROM ${s}.part_now p;
${documentedViews(s, {
  create: 'CREATE OR REPLACE VIEW',
  born: (name) => `${s}.job_now j CROSS JOIN LATERAL (SELECT j.fixed) AS ${name}`,
  job: `${s}.job_now`,
  record: `${s}.record_now`,
  closed: `${s}.closed_now`,
  log: `${s}.log_now`,
})}
`
