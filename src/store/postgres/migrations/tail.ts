// The end of the log. A write that is added there is one row, which says all there is (tables/tail/part-text.ts); `fold` puts it
// where it is found later, many at once.
//
// Rows have the place of their first entry as their key: of two who write at the end at the same time one is too late, and is told.
// Whoever writes in place sees to it that there is no row while it gets its place, and keeps others from adding one until it is
// durable: `turn` says how often that happened.
//
// An append inserts first and looks then: what it looks at is of a moment at which its row keeps everybody else from writing in place.
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
  part text COLLATE "C" NOT NULL
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
ALTER TABLE ${s}.tail ALTER part SET STORAGE EXTERNAL;

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
  INSERT INTO ${s}.tail VALUES (p_seq, p_places, p_at, p_writer, p_batch, p_part);
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
