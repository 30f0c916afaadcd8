// The tables. Columns that change at every step stand at the end of a row and in no index: such a change stays on the
// page of the row, touches no index, and only the end of the row is written to the log of the database.
import { LATE_MS } from '../../tables/log-parts.ts'

/** @param s the schema, quoted */
export const tablesSql = (s: string): string => `
CREATE TABLE ${s}.job (
  tenant_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  request_type text COLLATE "C" NOT NULL,
  protocol_id text COLLATE "C" NOT NULL,
  doc_id text COLLATE "C",
  run_id text COLLATE "C",
  workstream_id text COLLATE "C",
  version bigint NOT NULL,
  changed_at bigint NOT NULL,
  ended_at bigint,
  open_rows int NOT NULL,
  state text COLLATE "C" NOT NULL,
  ended_state text COLLATE "C",
  holds text[],
  log bigint[],
  moving text COLLATE "C",
  PRIMARY KEY (tenant_id, job_id)
) WITH (fillfactor = 15, toast_tuple_target = 8160);
ALTER TABLE ${s}.job ALTER moving SET STORAGE EXTERNAL, ALTER log SET STORAGE EXTERNAL;
CREATE INDEX job_open ON ${s}.job (tenant_id, job_id) WHERE ended_state IS NULL;
CREATE INDEX job_ended ON ${s}.job (ended_state, ended_at, tenant_id, job_id) WHERE ended_state IS NOT NULL;
CREATE INDEX job_doc ON ${s}.job (tenant_id, doc_id) WHERE doc_id IS NOT NULL;
CREATE INDEX job_run ON ${s}.job (tenant_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX job_workstream ON ${s}.job (tenant_id, workstream_id) WHERE workstream_id IS NOT NULL;
CREATE INDEX job_open_rows ON ${s}.job (tenant_id, job_id) WHERE open_rows > 0;

-- What a job was when it was new. It never changes: whatever does is in the job's row, which is short without it.
CREATE TABLE ${s}.born (
  tenant_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  fixed text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, job_id)
) WITH (toast_tuple_target = 8160);
ALTER TABLE ${s}.born ALTER fixed SET STORAGE EXTERNAL;

CREATE TABLE ${s}.record (
  kind text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  adapter text COLLATE "C",
  run_id text COLLATE "C",
  version bigint NOT NULL,
  changed_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  log bigint[],
  body text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, tenant_id, id)
) WITH (fillfactor = 50, toast_tuple_target = 8160);
ALTER TABLE ${s}.record ALTER body SET STORAGE EXTERNAL, ALTER log SET STORAGE EXTERNAL;
CREATE INDEX record_changed ON ${s}.record (kind, state, changed_at, tenant_id, id);

CREATE TABLE ${s}.closed_outbox (
  tenant_id text COLLATE "C" NOT NULL,
  outbox_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  changed_at bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, outbox_id)
) WITH (toast_tuple_target = 8160);
ALTER TABLE ${s}.closed_outbox ALTER body SET STORAGE EXTERNAL;
CREATE INDEX closed_outbox_job ON ${s}.closed_outbox (tenant_id, job_id);
CREATE INDEX closed_outbox_changed ON ${s}.closed_outbox (state, changed_at, tenant_id, outbox_id);

${worksSql(s)}
${bookSql(s)}
${logSql(s)}
`

/** Rows of these come and go all the time: what is gone is to be cleared away soon, or looking for the first takes long. */
const RESTLESS =
  'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0'

const worksSql = (s: string): string => `
CREATE TABLE ${s}.ready (
  queue text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  grp text COLLATE "C" NOT NULL,
  rank bigint NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (queue, tenant_id, grp, rank, job_id)
) WITH (${RESTLESS});

CREATE TABLE ${s}.due (
  due_at bigint NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (due_at, tenant_id, job_id)
) WITH (${RESTLESS});

CREATE TABLE ${s}.wait (
  tenant_id text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, topic, job_id)
) WITH (${RESTLESS});

CREATE TABLE ${s}.owed (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL
) WITH (${RESTLESS});
CREATE INDEX owed_job ON ${s}.owed (tenant_id, job_id);

CREATE TABLE ${s}.inbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  body text NOT NULL,
  answer text,
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (${RESTLESS});
CREATE INDEX inbox_waiting ON ${s}.inbox (id) WHERE answer IS NULL;
`

const bookSql = (s: string): string => `
CREATE TABLE ${s}.claim (
  tenant_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, key)
);

CREATE TABLE ${s}.slot (
  tenant_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  counted bigint NOT NULL,
  named text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, key)
) WITH (fillfactor = 50, ${RESTLESS});

CREATE TABLE ${s}.refusal (
  tenant_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C",
  count bigint NOT NULL,
  log bigint[],
  PRIMARY KEY (tenant_id, kind, id)
) WITH (fillfactor = 70);
CREATE INDEX refusal_job ON ${s}.refusal (tenant_id, job_id) WHERE job_id IS NOT NULL;

CREATE TABLE ${s}.state_count (
  tenant_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (tenant_id, kind, state)
) WITH (fillfactor = 50, ${RESTLESS});

-- One row for each connection that writes: what it wrote last, so that whoever lost it while writing can ask.
CREATE TABLE ${s}.writer (
  id text COLLATE "C" PRIMARY KEY,
  batch bigint NOT NULL,
  -- Somebody asked what became of it: it writes nothing any more.
  is_over boolean NOT NULL DEFAULT false,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50, ${RESTLESS});
`

const logSql = (s: string): string => `
-- Its one row is locked last and until the commit: the order of the log is the order of commits.
CREATE TABLE ${s}.head (
  id int PRIMARY KEY CHECK (id = 1),
  seq bigint NOT NULL,
  at bigint NOT NULL,
  records bigint NOT NULL,
  removed bigint NOT NULL,
  reach bigint NOT NULL,
  -- The one process that listens, or * when several do: whoever writes need not ask who does.
  listener text COLLATE "C"
) WITH (fillfactor = 50, ${RESTLESS});
INSERT INTO ${s}.head VALUES (1, 0, 0, 0, 0, 0);

-- One row for each process that listens for what others write, with the server's process of its connection.
CREATE TABLE ${s}.listener (
  process text COLLATE "C" PRIMARY KEY,
  pid int NOT NULL
);

CREATE SEQUENCE ${s}.chunk_id AS bigint;

CREATE TABLE ${s}.log (
  first_seq bigint NOT NULL,
  places bigint NOT NULL,
  chunk_id bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  -- The latest time that was told of so far: it grows along the log, whatever is told later of earlier times.
  reach bigint NOT NULL,
  at timestamptz NOT NULL,
  tags text[] COLLATE "C" NOT NULL,
  sketch text COLLATE "C" NOT NULL,
  entries text COLLATE "C" NOT NULL
) PARTITION BY RANGE (at);
ALTER TABLE ${s}.log ALTER sketch SET STORAGE EXTERNAL, ALTER entries SET STORAGE EXTERNAL;
CREATE INDEX log_seq ON ${s}.log (first_seq);
CREATE INDEX log_reach ON ${s}.log (reach, first_seq);
CREATE INDEX log_late ON ${s}.log (first_seq) WHERE first_at < reach - ${LATE_MS};
CREATE INDEX log_chunk ON ${s}.log (chunk_id);
-- New parts wait in a short list until there are some hundred: one by one they are a third of what a lone write logs.
CREATE INDEX log_tags ON ${s}.log USING gin (tags) WITH (fastupdate = on, gin_pending_list_limit = 64);
CREATE TABLE ${s}.log_default PARTITION OF ${s}.log DEFAULT WITH (toast_tuple_target = 8160);
`
