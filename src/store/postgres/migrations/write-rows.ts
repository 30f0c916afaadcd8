// The function that writes, with rows as its parameters: a list of rows is taken apart once, where a list of each column has
// to be kept by itself. What is said of the order of locks where it was first made is true of this one as well.
import { CONFLICT_STATE, STRANGER_STATE } from './write-function.ts'

const conflict = (what: string) =>
  `RAISE EXCEPTION '${what} changed since' USING ERRCODE = '${CONFLICT_STATE}';`

/** @param s the schema, quoted @param channel for notifications */
export const writeRowsSql = (s: string, channel: string): string => `
${typesSql(s)}
DROP FUNCTION ${s}.write;
${functionSql(s, channel, { name: 'write', parameters: '', newJobs: '' })}
`

/** The same function with more to write, under another name. */
interface Written extends Beside {
  readonly name: string
  /** After all others. */
  readonly parameters: string
  /** What is done beside what is done with other new jobs. */
  readonly newJobs: string
}

/** What later versions do besides. */
export interface Beside {
  /** Before anything else. */
  readonly begins?: string
  /** Before it gets its place in the log. */
  readonly beforeHead?: string
  /** In the head of the log. */
  readonly sets?: string
  readonly answers?: string
}

export const functionSql = (
  s: string,
  channel: string,
  more: Written,
): string => `CREATE FUNCTION ${s}.${more.name}(
  p_writer text, p_news text, p_n bigint[], p_seen ${s}.seen_version[], p_jobs ${s}.changed_job[], p_new ${s}.new_job[],
  p_records ${s}.changed_record[], p_outbox ${s}.closed_outbox[], p_claims ${s}.claim[],
  p_slots ${s}.changed_slot[], p_refusals ${s}.changed_refusal[], p_unready ${s}.ready[], p_ready ${s}.ready[],
  p_undue ${s}.due[], p_due ${s}.due[], p_unwait ${s}.wait[], p_wait ${s}.wait[], p_delivered bigint[],
  p_signals ${s}.signal[], p_counts ${s}.state_count[], p_entries text, p_tags text[], p_sketch text,
  p_inbox ${s}.answered[]${more.parameters}
) RETURNS bigint[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_seqscan = off SET jit = off
AS $write$
#variable_conflict use_column
DECLARE
  -- p_n: batch, at, places, first_at, last_at; then 1 when all counts are known to be there, and 1 when the writer is
  v_chunk bigint;
  v_head ${s}.head;
  v_count bigint;
  v_more bigint;
  v_owed bigint := 0;
BEGIN${more.begins ?? ''}
  UPDATE ${s}.writer SET batch = p_n[1], seen_at = now() WHERE id = p_writer AND NOT is_over;
  IF NOT FOUND THEN
    IF p_n[7] = 0 THEN
      INSERT INTO ${s}.writer (id, batch, seen_at) VALUES (p_writer, p_n[1], now()) ON CONFLICT DO NOTHING;
    END IF;
    IF NOT FOUND THEN RAISE EXCEPTION 'no such writer' USING ERRCODE = '${STRANGER_STATE}'; END IF;
  END IF;
  IF p_entries IS NOT NULL THEN v_chunk := nextval('${s}.chunk_id'); END IF;
${changedJobsSql(s)}${more.newJobs}${aggregatesSql(s)}
${bookSql(s)}
${workSql(s)}
${contendedSql(s)}${more.beforeHead ?? ''}
  UPDATE ${s}.head SET seq = seq + p_n[3], records = records + p_n[3], at = greatest(at, p_n[2]), reach = greatest(reach, p_n[5])${more.sets ?? ''}
    WHERE id = 1 RETURNING * INTO v_head;
${aloneSql(s)}
  -- Whoever is told costs both sides a moment: one who listens alone is not told of what it wrote itself.
  IF p_news <> v_head.listener THEN PERFORM pg_notify('${channel}', p_news); END IF;
  RETURN ARRAY[v_head.seq, v_head.at, v_head.records, v_head.removed, v_owed${more.answers ?? ''}];
END
$write$;`

const typesSql = (s: string): string => `
CREATE TYPE ${s}.seen_version AS (kind text, tenant_id text, id text, version bigint);
CREATE TYPE ${s}.changed_job AS (
  tenant_id text, job_id text, version bigint, read_version bigint, state text, changed_at bigint, is_ended boolean,
  open_rows int, holds text[], moving text, is_told boolean
);
CREATE TYPE ${s}.new_job AS (
  tenant_id text, job_id text, version bigint, state text, changed_at bigint, is_ended boolean, request_type text,
  protocol_id text, doc_id text, run_id text, workstream_id text, open_rows int, holds text[], fixed text, moving text,
  is_told boolean
);
CREATE TYPE ${s}.changed_record AS (
  kind text, tenant_id text, id text, version bigint, read_version bigint, state text, changed_at bigint, adapter text,
  run_id text, body text, is_told boolean
);
CREATE TYPE ${s}.changed_slot AS (tenant_id text, key text, more bigint, most bigint, named text, read_version bigint);
CREATE TYPE ${s}.changed_refusal AS (
  tenant_id text, kind text, id text, job_id text, read_count bigint, count bigint
);
CREATE TYPE ${s}.signal AS (tenant_id text, topic text);
CREATE TYPE ${s}.answered AS (id bigint, answer text);
`

const changedJobsSql = (s: string): string => `
  IF p_jobs IS NOT NULL THEN
    UPDATE ${s}.job j SET version = w.version, state = w.state, changed_at = w.changed_at,
      ended_state = CASE WHEN w.is_ended THEN w.state END, ended_at = CASE WHEN w.is_ended THEN w.changed_at END,
      open_rows = w.open_rows, holds = w.holds, moving = w.moving,
      log = CASE WHEN w.is_told AND v_chunk IS NOT NULL THEN j.log || v_chunk ELSE j.log END
    FROM unnest(p_jobs) AS w
    WHERE j.tenant_id = w.tenant_id AND j.job_id = w.job_id AND j.version = w.read_version;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(p_jobs) THEN ${conflict('a job')} END IF;
  END IF;`

const aggregatesSql = (s: string): string => `
  -- All that comes with new jobs in one statement: each by itself takes as long to begin and end as a row to be written.
  IF p_new IS NOT NULL THEN
    WITH job AS (
      INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, ended_state, ended_at, request_type, protocol_id,
        doc_id, run_id, workstream_id, open_rows, holds, moving, log)
      SELECT w.tenant_id, w.job_id, w.version, w.state, w.changed_at, CASE WHEN w.is_ended THEN w.state END,
        CASE WHEN w.is_ended THEN w.changed_at END, w.request_type, w.protocol_id, w.doc_id, w.run_id, w.workstream_id,
        w.open_rows, w.holds, w.moving, CASE WHEN w.is_told AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM unnest(p_new) AS w
    ), born AS (
      INSERT INTO ${s}.born SELECT w.tenant_id, w.job_id, w.fixed FROM unnest(p_new) AS w
    ), claim AS (
      INSERT INTO ${s}.claim SELECT * FROM unnest(p_claims)
    )
    INSERT INTO ${s}.ready SELECT * FROM unnest(p_ready) ON CONFLICT DO NOTHING;
  ELSE
    IF p_claims IS NOT NULL THEN INSERT INTO ${s}.claim SELECT * FROM unnest(p_claims); END IF;
    IF p_ready IS NOT NULL THEN INSERT INTO ${s}.ready SELECT * FROM unnest(p_ready) ON CONFLICT DO NOTHING; END IF;
  END IF;
  IF p_records IS NOT NULL THEN
    UPDATE ${s}.record r SET version = w.version, state = w.state, changed_at = w.changed_at, adapter = w.adapter,
      run_id = w.run_id, body = w.body,
      log = CASE WHEN w.is_told AND v_chunk IS NOT NULL THEN r.log || v_chunk ELSE r.log END
    FROM unnest(p_records) AS w
    WHERE w.read_version > 0 AND r.kind = w.kind AND r.tenant_id = w.tenant_id AND r.id = w.id AND r.version = w.read_version;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(p_records) THEN
      INSERT INTO ${s}.record (kind, tenant_id, id, version, state, changed_at, adapter, run_id, body, log)
      SELECT w.kind, w.tenant_id, w.id, w.version, w.state, w.changed_at, w.adapter, w.run_id, w.body,
        CASE WHEN w.is_told AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM unnest(p_records) AS w WHERE w.read_version = 0;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(p_records) THEN ${conflict('a record')} END IF;
    END IF;
  END IF;
  IF p_outbox IS NOT NULL THEN
    INSERT INTO ${s}.closed_outbox SELECT * FROM unnest(p_outbox)
    ON CONFLICT (tenant_id, outbox_id) DO UPDATE SET job_id = excluded.job_id, step_id = excluded.step_id,
      state = excluded.state, changed_at = excluded.changed_at, body = excluded.body;
  END IF;`

const bookSql = (s: string): string => `
  IF p_refusals IS NOT NULL THEN
    UPDATE ${s}.refusal f SET count = w.count, log = CASE WHEN v_chunk IS NOT NULL THEN f.log || v_chunk ELSE f.log END
    FROM unnest(p_refusals) AS w
    WHERE f.tenant_id = w.tenant_id AND f.kind = w.kind AND f.id = w.id AND f.count = w.read_count;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(p_refusals) THEN
      INSERT INTO ${s}.refusal (tenant_id, kind, id, job_id, count, log)
      SELECT w.tenant_id, w.kind, w.id, w.job_id, w.count, CASE WHEN v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM unnest(p_refusals) AS w WHERE w.read_count = 0
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(p_refusals) THEN ${conflict('a count of refusals')} END IF;
    END IF;
  END IF;`

/** Lists of work: some are to be dropped, others added. */
const workSql = (s: string): string => `
  IF p_unready IS NOT NULL THEN
    DELETE FROM ${s}.ready y USING unnest(p_unready) AS w
    WHERE y.queue = w.queue AND y.tenant_id = w.tenant_id AND y.grp = w.grp AND y.rank = w.rank AND y.job_id = w.job_id;
  END IF;
  IF p_undue IS NOT NULL THEN
    DELETE FROM ${s}.due d USING unnest(p_undue) AS w
    WHERE d.due_at = w.due_at AND d.tenant_id = w.tenant_id AND d.job_id = w.job_id;
  END IF;
  IF p_due IS NOT NULL THEN INSERT INTO ${s}.due SELECT * FROM unnest(p_due) ON CONFLICT DO NOTHING; END IF;
  IF p_unwait IS NOT NULL THEN
    DELETE FROM ${s}.wait t USING unnest(p_unwait) AS w
    WHERE t.tenant_id = w.tenant_id AND t.topic = w.topic AND t.job_id = w.job_id;
  END IF;
  IF p_wait IS NOT NULL THEN INSERT INTO ${s}.wait SELECT * FROM unnest(p_wait) ON CONFLICT DO NOTHING; END IF;
  IF p_delivered IS NOT NULL THEN DELETE FROM ${s}.owed WHERE id = ANY (p_delivered); END IF;
  IF p_inbox IS NOT NULL THEN
    DELETE FROM ${s}.inbox b USING unnest(p_inbox) AS w WHERE b.id = w.id AND w.answer IS NULL;
    UPDATE ${s}.inbox b SET answer = w.answer FROM unnest(p_inbox) AS w WHERE b.id = w.id AND w.answer IS NOT NULL;
  END IF;`

/**
 * Rows that every write wants: whoever has one keeps others waiting until the commit, so they come last. Limits are nearly
 * always there, and then an update is all it takes; should two make the same one, the second decides again. So are counts, of
 * which whoever writes knows whether they were there before: they are never removed.
 */
const contendedSql = (s: string): string => `
  IF p_slots IS NOT NULL THEN
    UPDATE ${s}.slot t SET counted = t.counted + w.more, named = COALESCE(w.named, t.named),
      version = CASE WHEN w.named IS NULL THEN t.version ELSE t.version + 1 END
    FROM unnest(p_slots) AS w
    WHERE t.tenant_id = w.tenant_id AND t.key = w.key AND (w.most IS NULL OR t.counted <= w.most)
      AND (w.named IS NULL OR t.version = w.read_version);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(p_slots) THEN
      INSERT INTO ${s}.slot (tenant_id, key, version, counted, named)
      SELECT w.tenant_id, w.key, CASE WHEN w.named IS NULL THEN 0 ELSE 1 END, w.more, COALESCE(w.named, '[]')
      FROM unnest(p_slots) AS w
      WHERE (w.most IS NULL OR w.most >= 0) AND (w.named IS NULL OR w.read_version = 0)
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(p_slots) THEN ${conflict('a limit')} END IF;
    END IF;
  END IF;
  IF p_counts IS NOT NULL THEN
    IF p_n[6] = 1 THEN
      UPDATE ${s}.state_count t SET n = t.n + w.n FROM unnest(p_counts) AS w
      WHERE t.tenant_id = w.tenant_id AND t.kind = w.kind AND t.state = w.state;
      GET DIAGNOSTICS v_count = ROW_COUNT;
      IF v_count <> cardinality(p_counts) THEN ${conflict('a count')} END IF;
    ELSE
      INSERT INTO ${s}.state_count AS t SELECT * FROM unnest(p_counts)
      ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = t.n + excluded.n;
    END IF;
  END IF;`

const aloneSql = (s: string): string => `
  IF p_seen IS NOT NULL THEN
    SELECT count(*) INTO v_count FROM unnest(p_seen) AS w
    WHERE w.version = COALESCE(CASE WHEN w.kind = 'job'
      THEN (SELECT j.version FROM ${s}.job j WHERE j.tenant_id = w.tenant_id AND j.job_id = w.id)
      ELSE (SELECT r.version FROM ${s}.record r WHERE r.kind = w.kind AND r.tenant_id = w.tenant_id AND r.id = w.id)
    END, 0);
    IF v_count <> cardinality(p_seen) THEN ${conflict('what was read')} END IF;
  END IF;
  IF p_signals IS NOT NULL THEN
    INSERT INTO ${s}.owed (tenant_id, job_id)
    SELECT DISTINCT t.tenant_id, t.job_id FROM unnest(p_signals) AS w
    JOIN ${s}.wait t ON t.tenant_id = w.tenant_id AND t.topic = w.topic;
    GET DIAGNOSTICS v_owed = ROW_COUNT;
  END IF;
  IF v_chunk IS NOT NULL THEN
    INSERT INTO ${s}.log (first_seq, places, chunk_id, first_at, last_at, reach, at, tags, sketch, entries)
    VALUES (v_head.seq - p_n[3] + 1, p_n[3], v_chunk, p_n[4], p_n[5], v_head.reach, to_timestamp(v_head.at / 1000.0), p_tags,
      p_sketch, p_entries);
  END IF;`
