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

/**
 * Each of a list with its place in it; what else there is of it is at that place of the lists beside it. Lists that are
 * unnested together cost several times as much: each has a store of its own.
 */
const each = (ids: string): string => `unnest(${ids}) WITH ORDINALITY AS w(id, n)`

/** The column of a row of `each`. */
const of = (list: string): string => `${list}[w.n::int]`

const aggregatesSql = (s: string): string => `
  IF j_id IS NOT NULL THEN
    UPDATE ${s}.job j SET version = ${of('j_version')}, state = ${of('j_state')}, changed_at = ${of('j_changed')},
      ended_state = ${of('j_ended')}, ended_at = CASE WHEN ${of('j_ended')} IS NULL THEN NULL ELSE ${of('j_changed')} END,
      open_rows = ${of('j_open')}, holds = ${of('j_holds')}::text[], moving = ${of('j_moving')},
      log = CASE WHEN ${of('j_told')} = 1 AND v_chunk IS NOT NULL THEN j.log || v_chunk ELSE j.log END
    FROM ${each('j_id')}
    WHERE j.tenant_id = ${of('j_tenant')} AND j.job_id = w.id AND j.version = ${of('j_from')};
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(j_id) THEN ${conflict('a job')} END IF;
  END IF;
  IF n_id IS NOT NULL THEN
    INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, ended_state, ended_at, request_type, protocol_id,
      doc_id, run_id, workstream_id, open_rows, holds, moving, log)
    SELECT ${of('n_tenant')}, w.id, ${of('n_version')}, ${of('n_state')}, ${of('n_changed')}, ${of('n_ended')},
      CASE WHEN ${of('n_ended')} IS NULL THEN NULL ELSE ${of('n_changed')} END, ${of('n_type')}, ${of('n_protocol')},
      ${of('n_doc')}, ${of('n_run')}, ${of('n_stream')}, ${of('n_open')}, ${of('n_holds')}::text[], ${of('n_moving')},
      CASE WHEN ${of('n_told')} = 1 AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
    FROM ${each('n_id')};
    INSERT INTO ${s}.born (tenant_id, job_id, fixed) SELECT ${of('n_tenant')}, w.id, ${of('n_fixed')} FROM ${each('n_id')};
  END IF;
  IF r_id IS NOT NULL THEN
    UPDATE ${s}.record r SET version = ${of('r_version')}, state = ${of('r_state')}, changed_at = ${of('r_changed')},
      adapter = ${of('r_adapter')}, run_id = ${of('r_run')}, body = ${of('r_body')},
      log = CASE WHEN ${of('r_told')} = 1 AND v_chunk IS NOT NULL THEN r.log || v_chunk ELSE r.log END
    FROM ${each('r_id')}
    WHERE ${of('r_from')} > 0 AND r.kind = ${of('r_kind')} AND r.tenant_id = ${of('r_tenant')} AND r.id = w.id
      AND r.version = ${of('r_from')};
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(r_id) THEN
      INSERT INTO ${s}.record (kind, tenant_id, id, version, state, changed_at, adapter, run_id, body, log)
      SELECT ${of('r_kind')}, ${of('r_tenant')}, w.id, ${of('r_version')}, ${of('r_state')}, ${of('r_changed')},
        ${of('r_adapter')}, ${of('r_run')}, ${of('r_body')},
        CASE WHEN ${of('r_told')} = 1 AND v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM ${each('r_id')} WHERE ${of('r_from')} = 0;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(r_id) THEN ${conflict('a record')} END IF;
    END IF;
  END IF;
  IF o_id IS NOT NULL THEN
    INSERT INTO ${s}.closed_outbox (tenant_id, outbox_id, job_id, step_id, state, changed_at, body)
    SELECT ${of('o_tenant')}, w.id, ${of('o_job')}, ${of('o_step')}, ${of('o_state')}, ${of('o_changed')}, ${of('o_body')}
    FROM ${each('o_id')}
    ON CONFLICT (tenant_id, outbox_id) DO UPDATE SET job_id = excluded.job_id, step_id = excluded.step_id,
      state = excluded.state, changed_at = excluded.changed_at, body = excluded.body;
  END IF;`

const bookSql = (s: string): string => `
  IF c_key IS NOT NULL THEN
    INSERT INTO ${s}.claim (tenant_id, key, owner) SELECT ${of('c_tenant')}, w.id, ${of('c_owner')} FROM ${each('c_key')};
  END IF;
  IF f_id IS NOT NULL THEN
    UPDATE ${s}.refusal f SET count = ${of('f_count')},
      log = CASE WHEN v_chunk IS NOT NULL THEN f.log || v_chunk ELSE f.log END
    FROM ${each('f_id')}
    WHERE f.tenant_id = ${of('f_tenant')} AND f.kind = ${of('f_kind')} AND f.id = w.id AND f.count = ${of('f_from')};
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(f_id) THEN
      INSERT INTO ${s}.refusal (tenant_id, kind, id, job_id, count, log)
      SELECT ${of('f_tenant')}, ${of('f_kind')}, w.id, ${of('f_job')}, ${of('f_count')},
        CASE WHEN v_chunk IS NOT NULL THEN ARRAY[v_chunk] END
      FROM ${each('f_id')} WHERE ${of('f_from')} = 0
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(f_id) THEN ${conflict('a count of refusals')} END IF;
    END IF;
  END IF;`

/** Of lists of work the first ones are to be dropped, as many as the number says, and the others added. */
const workSql = (s: string): string => `
  IF y_job IS NOT NULL THEN
    IF p_n[6] > 0 THEN
      DELETE FROM ${s}.ready y USING ${each('y_job')}
      WHERE w.n <= p_n[6] AND y.queue = ${of('y_queue')} AND y.tenant_id = ${of('y_tenant')} AND y.grp = ${of('y_group')}
        AND y.rank = ${of('y_rank')} AND y.job_id = w.id;
    END IF;
    IF cardinality(y_job) > p_n[6] THEN
      INSERT INTO ${s}.ready (queue, tenant_id, grp, rank, job_id)
      SELECT ${of('y_queue')}, ${of('y_tenant')}, ${of('y_group')}, ${of('y_rank')}, w.id
      FROM ${each('y_job')} WHERE w.n > p_n[6]
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF d_job IS NOT NULL THEN
    IF p_n[7] > 0 THEN
      DELETE FROM ${s}.due d USING ${each('d_job')}
      WHERE w.n <= p_n[7] AND d.due_at = ${of('d_at')} AND d.tenant_id = ${of('d_tenant')} AND d.job_id = w.id;
    END IF;
    IF cardinality(d_job) > p_n[7] THEN
      INSERT INTO ${s}.due (due_at, tenant_id, job_id)
      SELECT ${of('d_at')}, ${of('d_tenant')}, w.id FROM ${each('d_job')} WHERE w.n > p_n[7]
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF w_job IS NOT NULL THEN
    IF p_n[8] > 0 THEN
      DELETE FROM ${s}.wait t USING ${each('w_job')}
      WHERE w.n <= p_n[8] AND t.tenant_id = ${of('w_tenant')} AND t.topic = ${of('w_topic')} AND t.job_id = w.id;
    END IF;
    IF cardinality(w_job) > p_n[8] THEN
      INSERT INTO ${s}.wait (tenant_id, topic, job_id)
      SELECT ${of('w_tenant')}, ${of('w_topic')}, w.id FROM ${each('w_job')} WHERE w.n > p_n[8]
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  IF p_delivered IS NOT NULL THEN DELETE FROM ${s}.owed WHERE id = ANY (p_delivered); END IF;
  IF i_id IS NOT NULL THEN
    DELETE FROM ${s}.inbox b USING ${each('i_id')} WHERE b.id = w.id AND ${of('i_answer')} IS NULL;
    UPDATE ${s}.inbox b SET answer = ${of('i_answer')} FROM ${each('i_id')}
    WHERE b.id = w.id AND ${of('i_answer')} IS NOT NULL;
  END IF;`

/**
 * Rows that every write wants: whoever has one keeps others waiting until the commit, so they come last. Limits are nearly
 * always there, and then an update is all it takes; should two make the same one, the second decides again.
 */
const contendedSql = (s: string): string => `
  IF s_key IS NOT NULL THEN
    UPDATE ${s}.slot t SET counted = t.counted + ${of('s_add')}, named = COALESCE(${of('s_named')}, t.named),
      version = CASE WHEN ${of('s_named')} IS NULL THEN t.version ELSE t.version + 1 END
    FROM ${each('s_key')}
    WHERE t.tenant_id = ${of('s_tenant')} AND t.key = w.id AND (${of('s_most')} IS NULL OR t.counted <= ${of('s_most')})
      AND (${of('s_named')} IS NULL OR t.version = ${of('s_from')});
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count <> cardinality(s_key) THEN
      INSERT INTO ${s}.slot (tenant_id, key, version, counted, named)
      SELECT ${of('s_tenant')}, w.id, CASE WHEN ${of('s_named')} IS NULL THEN 0 ELSE 1 END, ${of('s_add')},
        COALESCE(${of('s_named')}, '[]')
      FROM ${each('s_key')}
      WHERE (${of('s_most')} IS NULL OR ${of('s_most')} >= 0) AND (${of('s_named')} IS NULL OR ${of('s_from')} = 0)
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS v_more = ROW_COUNT;
      IF v_count + v_more <> cardinality(s_key) THEN ${conflict('a limit')} END IF;
    END IF;
  END IF;
  IF k_n IS NOT NULL THEN
    INSERT INTO ${s}.state_count AS t (tenant_id, kind, state, n)
    SELECT ${of('k_tenant')}, ${of('k_kind')}, w.id, ${of('k_n')} FROM ${each('k_state')}
    ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = t.n + excluded.n;
  END IF;`

const aloneSql = (s: string): string => `
  IF v_id IS NOT NULL THEN
    SELECT count(*) INTO v_count FROM ${each('v_id')}
    WHERE ${of('v_version')} = COALESCE(CASE WHEN ${of('v_kind')} = 'job'
      THEN (SELECT j.version FROM ${s}.job j WHERE j.tenant_id = ${of('v_tenant')} AND j.job_id = w.id)
      ELSE (SELECT r.version FROM ${s}.record r
        WHERE r.kind = ${of('v_kind')} AND r.tenant_id = ${of('v_tenant')} AND r.id = w.id)
    END, 0);
    IF v_count <> cardinality(v_id) THEN ${conflict('what was read')} END IF;
  END IF;
  IF g_topic IS NOT NULL THEN
    INSERT INTO ${s}.owed (tenant_id, job_id)
    SELECT DISTINCT t.tenant_id, t.job_id FROM ${each('g_topic')}
    JOIN ${s}.wait t ON t.tenant_id = ${of('g_tenant')} AND t.topic = w.id;
    GET DIAGNOSTICS v_owed = ROW_COUNT;
  END IF;
  IF v_chunk IS NOT NULL THEN
    INSERT INTO ${s}.log (first_seq, places, chunk_id, first_at, last_at, reach, at, tags, sketch, entries)
    VALUES (v_head.seq - p_n[3] + 1, p_n[3], v_chunk, p_n[4], p_n[5], v_head.reach, to_timestamp(v_head.at / 1000.0), l_tags,
      l_sketch, l_entries);
  END IF;`
