// Everything that one transaction writes, in one call: one round trip, and every statement sees what was committed
// before it began. Locks are taken in the order of the statements, and in each by key.
//
// The row of `head` is locked last and held until the commit. So whatever stands behind it happens alone: another
// transaction has either been committed and is seen, or comes later and sees this one. What was read and has to be as
// it was is looked at there, and so is who waits for a signal.
//
// What is done with the history of the log, and what is refused, is decided elsewhere: this only moves rows.

/** SQLSTATE of a write that found something else than was read. */
export const CONFLICT_STATE = 'WB409'
/** SQLSTATE of a write by a connection whose row of `writer` is gone or over. */
export const STRANGER_STATE = 'WB410'

const conflict = (what: string) =>
  `RAISE EXCEPTION '${what} changed since' USING ERRCODE = '${CONFLICT_STATE}';`

/** @param s the schema, quoted @param channel for notifications */
export const writeFunctionSql = (s: string, channel: string): string => `
CREATE FUNCTION ${s}.write(
  p_writer text, p_news text, p_n bigint[],
  v_kind text[], v_tenant text[], v_id text[], v_version bigint[],
  j_tenant text[], j_id text[], j_version bigint[], j_from bigint[], j_state text[], j_changed bigint[],
  j_ended text[], j_open bigint[], j_holds text[], j_moving text[], j_told bigint[],
  n_tenant text[], n_id text[], n_version bigint[], n_state text[], n_changed bigint[], n_ended text[],
  n_type text[], n_protocol text[], n_doc text[], n_run text[], n_stream text[], n_open bigint[],
  n_holds text[], n_fixed text[], n_moving text[], n_told bigint[],
  r_kind text[], r_tenant text[], r_id text[], r_version bigint[], r_from bigint[], r_state text[],
  r_changed bigint[], r_adapter text[], r_run text[], r_body text[], r_told bigint[],
  o_tenant text[], o_id text[], o_job text[], o_step text[], o_state text[], o_changed bigint[], o_body text[],
  c_tenant text[], c_key text[], c_owner text[],
  s_tenant text[], s_key text[], s_add bigint[], s_most bigint[], s_named text[], s_from bigint[],
  f_tenant text[], f_kind text[], f_id text[], f_job text[], f_from bigint[], f_count bigint[],
  y_queue text[], y_tenant text[], y_group text[], y_rank bigint[], y_job text[],
  d_at bigint[], d_tenant text[], d_job text[],
  w_tenant text[], w_topic text[], w_job text[],
  p_delivered bigint[], g_tenant text[], g_topic text[],
  k_tenant text[], k_kind text[], k_state text[], k_n bigint[],
  l_entries text, l_tags text[], l_sketch text,
  i_id bigint[], i_answer text[]
) RETURNS bigint[] LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_seqscan = off SET jit = off
AS $write$
#variable_conflict use_column
DECLARE
  -- p_n: batch, at, places, first_at, last_at, then how many of ready, due and wait are to be dropped
  v_chunk bigint;
  v_head ${s}.head;
  v_count bigint;
  v_more bigint;
  v_owed bigint := 0;
BEGIN
  UPDATE ${s}.writer SET batch = p_n[1], seen_at = now() WHERE id = p_writer AND NOT is_over;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such writer' USING ERRCODE = '${STRANGER_STATE}'; END IF;
  IF l_entries IS NOT NULL THEN v_chunk := nextval('${s}.chunk_id'); END IF;
${aggregatesSql(s)}
${bookSql(s)}
${workSql(s)}
${contendedSql(s)}
  UPDATE ${s}.head SET seq = seq + p_n[3], records = records + p_n[3], at = greatest(at, p_n[2]), reach = greatest(reach, p_n[5])
    WHERE id = 1 RETURNING * INTO v_head;
${aloneSql(s)}
  -- Whoever is told costs both sides a moment: one who listens alone is not told of what it wrote itself.
  IF p_news <> v_head.listener THEN PERFORM pg_notify('${channel}', p_news); END IF;
  RETURN ARRAY[v_head.seq, v_head.at, v_head.records, v_head.removed, v_owed];
END
$write$;

-- Who listens from now on, or no more. It waits for whoever is writing: those who come later tell them, and what those
-- before it wrote is seen. Processes that are gone without a word are forgotten.
CREATE FUNCTION ${s}.listens(p_process text, p_is boolean) RETURNS void LANGUAGE plpgsql AS $listens$
BEGIN
  PERFORM 1 FROM ${s}.head FOR UPDATE;
  DELETE FROM ${s}.listener l
    WHERE l.process = p_process OR NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = l.pid);
  IF p_is THEN INSERT INTO ${s}.listener (process, pid) VALUES (p_process, pg_backend_pid()); END IF;
  UPDATE ${s}.head SET listener =
    (SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN min(l.process) ELSE '*' END FROM ${s}.listener l);
END
$listens$;

-- For transactions of others: what they ask for is decided on right after they are committed.
CREATE FUNCTION ${s}.submit(request text) RETURNS void LANGUAGE sql AS $submit$
  INSERT INTO ${s}.inbox (body) VALUES (request);
  SELECT pg_notify('${channel}', 'inbox');
$submit$;
`

const aggregatesSql = (s: string): string => `
  IF j_id IS NOT NULL THEN
    UPDATE ${s}.job j SET version = w.version, state = w.state, changed_at = w.changed_at, ended_state = w.ended,
      ended_at = CASE WHEN w.ended IS NULL THEN NULL ELSE w.changed_at END, open_rows = w.open_rows,
      holds = w.holds::text[], moving = w.moving,
      log = CASE WHEN w.told = 1 AND v_chunk IS NOT NULL THEN j.log || v_chunk ELSE j.log END
    FROM unnest(j_tenant, j_id, j_version, j_from, j_state, j_changed, j_ended, j_open, j_holds, j_moving, j_told)
      AS w(tenant_id, job_id, version, seen, state, changed_at, ended, open_rows, holds, moving, told)
    WHERE j.tenant_id = w.tenant_id AND j.job_id = w.job_id AND j.version = w.seen;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(j_id) THEN ${conflict('a job')} END IF;
  END IF;
  IF n_id IS NOT NULL THEN
    INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, ended_state, ended_at, request_type, protocol_id,
      doc_id, run_id, workstream_id, open_rows, holds, moving, log)
    SELECT w.tenant_id, w.job_id, w.version, w.state, w.changed_at, w.ended,
      CASE WHEN w.ended IS NULL THEN NULL ELSE w.changed_at END, w.request_type, w.protocol_id,
      w.doc_id, w.run_id, w.workstream_id, w.open_rows, w.holds::text[], w.moving,
      CASE WHEN w.told = 1 AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
    FROM unnest(n_tenant, n_id, n_version, n_state, n_changed, n_ended, n_type, n_protocol, n_doc, n_run, n_stream, n_open,
      n_holds, n_moving, n_told)
      AS w(tenant_id, job_id, version, state, changed_at, ended, request_type, protocol_id, doc_id, run_id, workstream_id,
        open_rows, holds, moving, told);
    INSERT INTO ${s}.born (tenant_id, job_id, fixed) SELECT * FROM unnest(n_tenant, n_id, n_fixed);
  END IF;
  IF r_id IS NOT NULL THEN
    UPDATE ${s}.record r SET version = w.version, state = w.state, changed_at = w.changed_at, adapter = w.adapter,
      run_id = w.run_id, body = w.body,
      log = CASE WHEN w.told = 1 AND v_chunk IS NOT NULL THEN r.log || v_chunk ELSE r.log END
    FROM unnest(r_kind, r_tenant, r_id, r_version, r_from, r_state, r_changed, r_adapter, r_run, r_body, r_told)
      AS w(kind, tenant_id, id, version, seen, state, changed_at, adapter, run_id, body, told)
    WHERE w.seen > 0 AND r.kind = w.kind AND r.tenant_id = w.tenant_id AND r.id = w.id AND r.version = w.seen;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(r_id) THEN
      INSERT INTO ${s}.record (kind, tenant_id, id, version, state, changed_at, adapter, run_id, body, log)
      SELECT w.kind, w.tenant_id, w.id, w.version, w.state, w.changed_at, w.adapter, w.run_id, w.body,
        CASE WHEN w.told = 1 AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM unnest(r_kind, r_tenant, r_id, r_version, r_from, r_state, r_changed, r_adapter, r_run, r_body, r_told)
        AS w(kind, tenant_id, id, version, seen, state, changed_at, adapter, run_id, body, told)
      WHERE w.seen = 0;
      IF v_count + (SELECT count(*) FROM unnest(r_from) AS w(seen) WHERE w.seen = 0) <> cardinality(r_id) THEN
        ${conflict('a record')}
      END IF;
    END IF;
  END IF;
  IF o_id IS NOT NULL THEN
    INSERT INTO ${s}.closed_outbox (tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
    SELECT * FROM unnest(o_tenant, o_id, o_job, o_step, o_state, o_changed, o_body)
    ON CONFLICT (tenant_id, outbox_id) DO UPDATE SET job_id = excluded.job_id, step_id = excluded.step_id,
      state = excluded.state, changed_at = excluded.changed_at, body = excluded.body;
  END IF;`

const bookSql = (s: string): string => `
  IF c_key IS NOT NULL THEN
    INSERT INTO ${s}.claim (tenant_id, key, owner) SELECT * FROM unnest(c_tenant, c_key, c_owner);
  END IF;
  IF f_id IS NOT NULL THEN
    UPDATE ${s}.refusal f SET count = w.count,
      log = CASE WHEN v_chunk IS NOT NULL THEN f.log || v_chunk ELSE f.log END
    FROM unnest(f_tenant, f_kind, f_id, f_from, f_count) AS w(tenant_id, kind, id, seen, count)
    WHERE f.tenant_id = w.tenant_id AND f.kind = w.kind AND f.id = w.id AND f.count = w.seen;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(f_id) THEN
      INSERT INTO ${s}.refusal (tenant_id, kind, id, job_id, count, log)
      SELECT w.tenant_id, w.kind, w.id, w.job_id, w.count, CASE WHEN v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM unnest(f_tenant, f_kind, f_id, f_job, f_from, f_count) AS w(tenant_id, kind, id, job_id, seen, count)
      WHERE w.seen = 0
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(f_id) THEN ${conflict('a count of refusals')} END IF;
    END IF;
  END IF;`

const workSql = (s: string): string => `
  IF y_job IS NOT NULL THEN
    IF p_n[6] > 0 THEN
      DELETE FROM ${s}.ready y USING
        unnest(y_queue[:p_n[6]], y_tenant[:p_n[6]], y_group[:p_n[6]], y_rank[:p_n[6]], y_job[:p_n[6]])
        AS w(queue, tenant_id, grp, rank, job_id)
      WHERE y.queue = w.queue AND y.tenant_id = w.tenant_id AND y.grp = w.grp AND y.rank = w.rank AND y.job_id = w.job_id;
    END IF;
    IF cardinality(y_job) > p_n[6] THEN
      INSERT INTO ${s}.ready (queue, tenant_id, grp, rank, job_id)
      SELECT * FROM unnest(y_queue[p_n[6] + 1:], y_tenant[p_n[6] + 1:], y_group[p_n[6] + 1:], y_rank[p_n[6] + 1:],
        y_job[p_n[6] + 1:])
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF d_job IS NOT NULL THEN
    IF p_n[7] > 0 THEN
      DELETE FROM ${s}.due d USING unnest(d_at[:p_n[7]], d_tenant[:p_n[7]], d_job[:p_n[7]]) AS w(due_at, tenant_id, job_id)
      WHERE d.due_at = w.due_at AND d.tenant_id = w.tenant_id AND d.job_id = w.job_id;
    END IF;
    IF cardinality(d_job) > p_n[7] THEN
      INSERT INTO ${s}.due (due_at, tenant_id, job_id)
      SELECT * FROM unnest(d_at[p_n[7] + 1:], d_tenant[p_n[7] + 1:], d_job[p_n[7] + 1:])
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF w_job IS NOT NULL THEN
    IF p_n[8] > 0 THEN
      DELETE FROM ${s}.wait t USING unnest(w_tenant[:p_n[8]], w_topic[:p_n[8]], w_job[:p_n[8]]) AS w(tenant_id, topic, job_id)
      WHERE t.tenant_id = w.tenant_id AND t.topic = w.topic AND t.job_id = w.job_id;
    END IF;
    IF cardinality(w_job) > p_n[8] THEN
      INSERT INTO ${s}.wait (tenant_id, topic, job_id)
      SELECT * FROM unnest(w_tenant[p_n[8] + 1:], w_topic[p_n[8] + 1:], w_job[p_n[8] + 1:])
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF p_delivered IS NOT NULL THEN DELETE FROM ${s}.owed WHERE id = ANY (p_delivered); END IF;
  IF i_id IS NOT NULL THEN
    DELETE FROM ${s}.inbox b USING unnest(i_id, i_answer) AS w(id, answer) WHERE b.id = w.id AND w.answer IS NULL;
    UPDATE ${s}.inbox b SET answer = w.answer FROM unnest(i_id, i_answer) AS w(id, answer)
    WHERE b.id = w.id AND w.answer IS NOT NULL;
  END IF;`

/**
 * Rows that every write wants: whoever has one keeps others waiting until the commit, so they come last. They are nearly
 * always there, and then an update is all it takes.
 */
const contendedSql = (s: string): string => `
  IF s_key IS NOT NULL THEN
    UPDATE ${s}.slot t SET counted = t.counted + w.add, named = COALESCE(w.named, t.named),
      version = CASE WHEN w.named IS NULL THEN t.version ELSE t.version + 1 END
    FROM unnest(s_tenant, s_key, s_add, s_most, s_named, s_from) AS w(tenant_id, key, add, most, named, seen)
    WHERE t.tenant_id = w.tenant_id AND t.key = w.key AND (w.most IS NULL OR t.counted <= w.most)
      AND (w.named IS NULL OR t.version = w.seen);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(s_key) THEN
      INSERT INTO ${s}.slot (tenant_id, key, version, counted, named)
      SELECT w.tenant_id, w.key, CASE WHEN w.named IS NULL THEN 0 ELSE 1 END, w.add, COALESCE(w.named, '[]')
      FROM unnest(s_tenant, s_key, s_add, s_most, s_named, s_from) AS w(tenant_id, key, add, most, named, seen)
      WHERE (w.most IS NULL OR w.most >= 0) AND (w.named IS NULL OR w.seen = 0)
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(s_key) THEN ${conflict('a limit')} END IF;
    END IF;
  END IF;
  IF k_n IS NOT NULL THEN
    UPDATE ${s}.state_count t SET n = t.n + w.n FROM unnest(k_tenant, k_kind, k_state, k_n) AS w(tenant_id, kind, state, n)
    WHERE t.tenant_id = w.tenant_id AND t.kind = w.kind AND t.state = w.state;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(k_n) THEN
      INSERT INTO ${s}.state_count AS t (tenant_id, kind, state, n)
      SELECT w.tenant_id, w.kind, w.state, w.n FROM unnest(k_tenant, k_kind, k_state, k_n) AS w(tenant_id, kind, state, n)
      WHERE NOT EXISTS (SELECT 1 FROM ${s}.state_count o
        WHERE o.tenant_id = w.tenant_id AND o.kind = w.kind AND o.state = w.state)
      ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = t.n + excluded.n;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      -- One that came between the two was not added to.
      IF v_count + v_more <> cardinality(k_n) THEN ${conflict('a count')} END IF;
    END IF;
  END IF;`

const aloneSql = (s: string): string => `
  IF v_id IS NOT NULL THEN
    SELECT count(*) INTO v_count FROM unnest(v_kind, v_tenant, v_id, v_version) AS w(kind, tenant_id, id, version)
    WHERE w.version = COALESCE(CASE WHEN w.kind = 'job'
      THEN (SELECT j.version FROM ${s}.job j WHERE j.tenant_id = w.tenant_id AND j.job_id = w.id)
      ELSE (SELECT r.version FROM ${s}.record r WHERE r.kind = w.kind AND r.tenant_id = w.tenant_id AND r.id = w.id)
    END, 0);
    IF v_count <> cardinality(v_id) THEN ${conflict('what was read')} END IF;
  END IF;
  IF g_topic IS NOT NULL THEN
    INSERT INTO ${s}.owed (tenant_id, job_id)
    SELECT DISTINCT t.tenant_id, t.job_id FROM unnest(g_tenant, g_topic) AS w(tenant_id, topic)
    JOIN ${s}.wait t ON t.tenant_id = w.tenant_id AND t.topic = w.topic;
    GET DIAGNOSTICS v_owed = ROW_COUNT;
  END IF;
  IF v_chunk IS NOT NULL THEN
    INSERT INTO ${s}.log (first_seq, places, chunk_id, first_at, last_at, reach, at, tags, sketch, entries)
    VALUES (v_head.seq - p_n[3] + 1, p_n[3], v_chunk, p_n[4], p_n[5], v_head.reach, to_timestamp(v_head.at / 1000.0), l_tags,
      l_sketch, l_entries);
  END IF;`
