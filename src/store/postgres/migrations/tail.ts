// The end of the log. A write that is added there is one row, which says all there is (tables/tail/part-text.ts); `fold` puts it
// where it is found later, many at once.
//
// Rows have the place of their first entry as their key: of two who write at the end at the same time one is too late, and is told.
// Whoever writes in place sees to it that there is no row while it gets its place, and keeps others from adding one until it is
// durable: `turn` says how often that happened.
//
// An append inserts first and looks then: what it looks at is of a moment at which its row keeps everybody else from writing in place.
// That of a job that is submitted by itself is one statement without a function, which looks first: what it sees is of a moment after it
// locked the table, and before others write in place, or remove from it what was put where it is found, they wait for its end.
import { wholePartSql } from '../../tables/tail/part-forms.ts'
import { CONFLICT_STATE } from './write-function.ts'

/** SQLSTATE of an append where the log does not end. */
export const MOVED_STATE = 'WB411'
/** SQLSTATE of an append that somebody waits for. */
export const AWAITED_STATE = 'WB412'
/** SQLSTATE of a write in place while something is in the tail. */
export const TAIL_STATE = 'WB413'

const raise = (what: string, state: string) => `RAISE EXCEPTION '${what}' USING ERRCODE = '${state}';`

/** Held, shared, by whoever writes in place or has taken work to do so; `fold` has it for itself. */
const foldLock = (s: string) => `hashtextextended('fold ${s}', 0)`

/** What a write in place begins with, before it locks any row. */
export const beginsInPlaceSql = (s: string): string => `
  PERFORM pg_advisory_xact_lock_shared(${foldLock(s)});`

/** Before it gets its place in the log. */
export const endsTailSql = (s: string): string => `
  LOCK TABLE ${s}.tail IN EXCLUSIVE MODE;
  IF EXISTS (SELECT 1 FROM ${s}.tail) THEN ${raise('something is in the tail', TAIL_STATE)} END IF;`

export const beginsFoldSql = (s: string): string => `
  PERFORM pg_advisory_xact_lock(${foldLock(s)});`

/** Before anything is removed from the tail, and said in the head to be where it is found. */
export const endsFoldSql = (s: string): string => `
  LOCK TABLE ${s}.tail IN EXCLUSIVE MODE;`

/**
 * Adds a new job that others are like, by the form that they have, where what comes before it is there, and nobody has to be told.
 * Places in the log may have been taken by then: as long as they are in the tail their keys say so, and afterwards the head does.
 */
export const appendFormedSql = (s: string): string => `
INSERT INTO ${s}.tail (first_seq, places, at, writer, batch, form, part)
SELECT $1::bigint, $2::int, $3::bigint, $4::text, $5::bigint, $6::bigint, $7::text FROM ${s}.head h
WHERE h.id = 1 AND h.turn = $8 AND h.seq < $1::bigint AND (h.listener = $9) IS NOT FALSE
  AND NOT EXISTS (SELECT 1 FROM ${s}.claim c WHERE c.tenant_id = $10 AND c.key = $11)`

/** For a statement that is sent before work is taken. */
export const sharedFoldLockSql = (s: string): string =>
  `SELECT pg_advisory_xact_lock_shared(${foldLock(s)})::text, EXISTS (SELECT 1 FROM ${s}.tail) AS has_tail`

/** @param s the schema, quoted @param channel for notifications */
export const tailSql = (s: string, channel: string): string => `
CREATE TABLE ${s}.tail (
  first_seq bigint PRIMARY KEY,
  places int NOT NULL,
  at bigint NOT NULL,
  -- Which write of which connection it is: whoever lost the connection meanwhile asks.
  writer text COLLATE "C" NOT NULL,
  batch bigint NOT NULL,
  -- Of what the part is only what is its own; null when it is the whole of it.
  form bigint,
  part text COLLATE "C" NOT NULL
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE ${s}.tail ALTER part SET STORAGE EXTERNAL;

CREATE TABLE ${s}.form (id bigint PRIMARY KEY, text text COLLATE "C" NOT NULL);

CREATE VIEW ${s}.tail_now AS SELECT t.first_seq, t.places, t.at, t.writer, t.batch,
  CASE WHEN t.form IS NULL THEN t.part ELSE ${wholePartSql(
    `(SELECT f.text FROM ${s}.form f WHERE f.id = t.form)`,
    (nth) => `(t.part::json -> ${nth})::text`,
    (code) => `chr(${code})`,
  )} END AS part
FROM ${s}.tail t;

-- By the time that it is put where it is found a job has mostly gone all its way, and needs no room for what is to come.
ALTER TABLE ${s}.job SET (fillfactor = 60);

ALTER TABLE ${s}.head ADD COLUMN turn bigint NOT NULL DEFAULT 0;

-- Claims are of the tenant: one by itself, or a list. Topics, of the tenants beside them, are given where somebody may wait for one.
CREATE FUNCTION ${s}.append(
  p_seq bigint, p_places int, p_at bigint, p_turn bigint, p_writer text, p_batch bigint, p_news text,
  p_tenant text, p_key text, p_tenants text[], p_keys text[], p_topic_tenants text[], p_topics text[], p_part text
) RETURNS void LANGUAGE plpgsql AS $append$
DECLARE
  v_turn bigint;
  v_next bigint;
  v_listener text;
  v_is_claimed boolean;
BEGIN
  INSERT INTO ${s}.tail VALUES (p_seq, p_places, p_at, p_writer, p_batch, NULL, p_part);
  SELECT h.turn, h.listener,
    COALESCE((SELECT t.first_seq + t.places FROM ${s}.tail t WHERE t.first_seq < p_seq ORDER BY t.first_seq DESC LIMIT 1),
      h.seq + 1),
    p_key IS NOT NULL AND EXISTS (SELECT 1 FROM ${s}.claim c WHERE c.tenant_id = p_tenant AND c.key = p_key)
  INTO v_turn, v_listener, v_next, v_is_claimed
  FROM ${s}.head h WHERE h.id = 1;
  IF v_turn <> p_turn OR v_next <> p_seq THEN ${raise('the log does not end there', MOVED_STATE)} END IF;
  IF p_keys IS NOT NULL THEN
    v_is_claimed := EXISTS (SELECT 1 FROM unnest(p_tenants, p_keys) AS w(tenant_id, key) CROSS JOIN LATERAL
      (SELECT 1 FROM ${s}.claim c WHERE c.tenant_id = w.tenant_id AND c.key = w.key LIMIT 1) AS c);
  END IF;
  IF v_is_claimed THEN ${raise('a claim', CONFLICT_STATE)} END IF;
  IF p_topics IS NOT NULL AND EXISTS (SELECT 1 FROM unnest(p_topic_tenants, p_topics) AS w(tenant_id, topic) CROSS JOIN LATERAL
      (SELECT 1 FROM ${s}.wait t WHERE t.tenant_id = w.tenant_id AND t.topic = w.topic LIMIT 1) AS t)
  THEN ${raise('somebody waits for it', AWAITED_STATE)} END IF;
  -- Whoever is told costs both sides a moment: one who listens alone is not told of what it wrote itself.
  IF p_news <> v_listener THEN PERFORM pg_notify('${channel}', p_news); END IF;
END
$append$;

-- Forms are removed when there are very many: nobody says when one is needed no more. Whoever needs one finds out as after any
-- write in place, and puts it there again.
CREATE FUNCTION ${s}.remove_forms(p_most bigint) RETURNS void LANGUAGE plpgsql AS $remove$
BEGIN
  IF (SELECT count(*) FROM ${s}.form) <= p_most THEN RETURN; END IF;
  LOCK TABLE ${s}.tail IN EXCLUSIVE MODE;
  IF EXISTS (SELECT 1 FROM ${s}.tail) THEN RETURN; END IF;
  UPDATE ${s}.head SET turn = turn + 1 WHERE id = 1;
  DELETE FROM ${s}.form;
END
$remove$;

-- Nothing that was sent before is added any more, by whoever. Answers whether a write was.
CREATE FUNCTION ${s}.end_appends(p_writer text, p_batch bigint) RETURNS boolean LANGUAGE plpgsql AS $end$
BEGIN
  LOCK TABLE ${s}.tail IN EXCLUSIVE MODE;
  UPDATE ${s}.head SET turn = turn + 1 WHERE id = 1;
  RETURN EXISTS (SELECT 1 FROM ${s}.tail WHERE writer = p_writer AND batch = p_batch)
    OR EXISTS (SELECT 1 FROM ${s}.writer WHERE id = p_writer AND batch >= p_batch);
END
$end$;
`
