// The tables as migrations make them. What was released is never changed: a later migration changes it.
import { LATE_MS } from '../tables/log-parts.ts'
import { wholePartSql } from '../tables/tail/part-forms.ts'

/** Columns that change at every step of a job are in no index; they come before the long texts. */
export const TABLES_1 = `
CREATE TABLE head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  records INTEGER NOT NULL,
  removed INTEGER NOT NULL
) STRICT;
INSERT INTO head VALUES (1, 0, 0, 0, 0);

CREATE TABLE job (
  tenant_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  ended_state TEXT,
  ended_at INTEGER,
  open_rows INTEGER NOT NULL,
  request_type TEXT NOT NULL,
  protocol_id TEXT NOT NULL,
  doc_id TEXT,
  run_id TEXT,
  workstream_id TEXT,
  holds TEXT NOT NULL,
  log TEXT NOT NULL,
  moving TEXT,
  fixed TEXT NOT NULL,
  PRIMARY KEY (tenant_id, job_id)
) STRICT;
CREATE INDEX job_open ON job (tenant_id, job_id) WHERE ended_state IS NULL;
CREATE INDEX job_ended ON job (ended_state, ended_at, tenant_id, job_id) WHERE ended_state IS NOT NULL;
CREATE INDEX job_of_document ON job (tenant_id, doc_id, job_id) WHERE doc_id IS NOT NULL;
CREATE INDEX job_of_run ON job (tenant_id, run_id, job_id) WHERE run_id IS NOT NULL;
CREATE INDEX job_of_workstream ON job (tenant_id, workstream_id, job_id) WHERE workstream_id IS NOT NULL;
CREATE INDEX job_with_rows ON job (tenant_id, job_id) WHERE open_rows > 0;

CREATE TABLE record (
  kind TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  adapter TEXT,
  run_id TEXT,
  log TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (kind, tenant_id, id)
) STRICT;
CREATE INDEX record_state ON record (kind, state, changed_at, tenant_id, id);

CREATE TABLE closed_outbox (
  tenant_id TEXT NOT NULL,
  outbox_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  state TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, outbox_id)
) STRICT;
CREATE INDEX closed_outbox_job ON closed_outbox (tenant_id, job_id, outbox_id);
CREATE INDEX closed_outbox_state ON closed_outbox (state, changed_at, tenant_id, outbox_id);

CREATE TABLE ready (
  queue TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  grp TEXT NOT NULL,
  rank REAL NOT NULL,
  job_id TEXT NOT NULL,
  PRIMARY KEY (queue, tenant_id, grp, rank, job_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE due (
  due_at INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  PRIMARY KEY (due_at, tenant_id, job_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE wait (
  tenant_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  job_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, topic, job_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE owed (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL,
  job_id TEXT NOT NULL
) STRICT;

CREATE TABLE claim (
  tenant_id TEXT NOT NULL,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (tenant_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE slot (
  tenant_id TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  counted INTEGER NOT NULL,
  named TEXT NOT NULL,
  PRIMARY KEY (tenant_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE refusal (
  tenant_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  job_id TEXT,
  count INTEGER NOT NULL,
  log TEXT NOT NULL,
  PRIMARY KEY (tenant_id, kind, id)
) STRICT;
CREATE INDEX refusal_job ON refusal (tenant_id, job_id) WHERE job_id IS NOT NULL;

CREATE TABLE log (
  first_seq INTEGER PRIMARY KEY,
  places INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- The latest time that was told of so far: it grows along the log, whatever is told later of earlier times.
  reach INTEGER NOT NULL,
  sketch TEXT NOT NULL,
  entries TEXT NOT NULL
) STRICT;
CREATE INDEX log_times ON log (first_seq, places, first_at, last_at);
CREATE INDEX log_reach ON log (reach, first_seq);
CREATE INDEX log_late ON log (first_seq, places, first_at, last_at) WHERE first_at < reach - ${LATE_MS};

-- The newest parts of the log, which nothing is found by yet, with the head and the counts as each left them: so little is
-- written for each that is written alone. Now and then all of them are folded into the tables beside, at once.
CREATE TABLE tail (
  first_seq INTEGER PRIMARY KEY,
  places INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  records INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  counts TEXT NOT NULL,
  tags TEXT NOT NULL,
  sketch TEXT NOT NULL,
  entries TEXT NOT NULL
) STRICT;

CREATE TABLE log_tag (
  tag TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  PRIMARY KEY (tag, first_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE state_count (
  tenant_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, kind, state)
) STRICT, WITHOUT ROWID;
`

/** Claims in the order in which they were made, until they are put into \`claim\`: in the order of keys, which are hashes. */
export const NEW_CLAIMS_3 = `
CREATE TABLE new_claim (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  key TEXT NOT NULL,
  owner TEXT NOT NULL
) STRICT;
`

/** What small writes of that version leave in the tail until it is folded. */
export const LEFT_IN_TAIL_4 = `
ALTER TABLE tail ADD COLUMN ready TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tail ADD COLUMN ready_left INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tail ADD COLUMN slots TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tail ADD COLUMN claims TEXT NOT NULL DEFAULT '[]';
`

const WHOLE_PART = wholePartSql(
  '(SELECT text FROM form WHERE id = tail.form)',
  (nth) => `part -> ${nth}`,
  (code) => `char(${code})`,
)

/**
 * From here on a row of the tail is a whole write (tail/part-text.ts), and claims have one table. What earlier versions left in the tail and
 * among new claims is put where it is found.
 */
export const TAIL_5 = `
INSERT INTO log (first_seq, places, first_at, last_at, reach, sketch, entries)
SELECT first_seq, places, first_at, last_at,
  max(max(last_at) OVER (ORDER BY first_seq), coalesce((SELECT reach FROM log ORDER BY first_seq DESC LIMIT 1), 0)),
  sketch, entries FROM tail ORDER BY first_seq;
INSERT OR IGNORE INTO log_tag (tag, first_seq)
SELECT each.value, tail.first_seq FROM tail, json_each(tail.tags) AS each;
INSERT INTO state_count (tenant_id, kind, state, n)
SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2, sum(each.value ->> 3)
FROM tail, json_each(tail.counts) AS each WHERE true GROUP BY 1, 2, 3
ON CONFLICT (tenant_id, kind, state) DO UPDATE SET n = n + excluded.n;
INSERT OR IGNORE INTO ready (queue, tenant_id, grp, rank, job_id)
SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2, each.value ->> 3, each.value ->> 4
FROM tail, json_each(tail.ready) AS each;
INSERT INTO slot (tenant_id, key, version, counted, named)
SELECT each.value ->> 0, each.value ->> 1, 0, each.value ->> 2, '[]'
FROM (SELECT slots FROM tail ORDER BY first_seq DESC LIMIT 1) AS last, json_each(last.slots) AS each WHERE true
ON CONFLICT (tenant_id, key) DO UPDATE SET counted = counted + excluded.counted;
INSERT OR IGNORE INTO claim (tenant_id, key, owner)
SELECT tenant_id, key, owner FROM new_claim
UNION ALL
SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2 FROM tail, json_each(tail.claims) AS each
ORDER BY 1, 2;
UPDATE head SET seq = last.first_seq + last.places - 1, at = max(head.at, last.at), records = last.records
FROM (SELECT first_seq, places, at, records FROM tail ORDER BY first_seq DESC LIMIT 1) AS last;
ALTER TABLE head ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
DROP VIEW step_attempts;
DROP VIEW events;
DROP TABLE tail;
DROP TABLE new_claim;
CREATE TABLE tail (
  first_seq INTEGER PRIMARY KEY,
  places INTEGER NOT NULL,
  at INTEGER NOT NULL,
  -- Of what the part is only what is its own; null when it is the whole of it.
  form INTEGER,
  part TEXT NOT NULL
) STRICT;
CREATE TABLE form (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
CREATE VIEW tail_now AS
SELECT first_seq, places, at, CASE WHEN form IS NULL THEN part ELSE ${WHOLE_PART} END AS part FROM tail;
`
