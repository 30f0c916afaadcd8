// A ledger with a million rows in each of its large tables, filled by SQLite itself: going through the ledger would take
// minutes. The rows are small; what the tests ask of them is only where they stand.
import { DatabaseSync } from 'node:sqlite'
import { FIRST_AT, JOBS_WITH_ROWS, OPEN_JOBS, ROWS, STEP_MS } from '../tables/million.ts'

const TABLES = ['job', 'record', 'closed_outbox', 'log']

/** The tables are there, and empty. Indexes are made again when they are full, which takes far less time. */
export function fillWithAMillion(path: string): void {
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; PRAGMA temp_store = MEMORY; BEGIN')
    const indexes = db
      .prepare(
        `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(TABLES)) as unknown as readonly { readonly name: string; readonly sql: string }[]
    for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
    for (const sql of FILL) db.exec(sql)
    for (const { sql } of indexes) db.exec(sql)
    db.exec('COMMIT; ANALYZE')
  } finally {
    db.close()
  }
}

const AT = `${FIRST_AT} + n * ${STEP_MS}`
const TENANT = "'t' || (n / 200001)"
const JOB = "'j' || format('%07d', n)"

const each = (rows: number) =>
  `WITH RECURSIVE f(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM f WHERE n < ${rows})`

const FILL = [
  `${each(ROWS)}
  INSERT INTO job (tenant_id, job_id, version, state, changed_at, ended_state, ended_at, open_rows, request_type, protocol_id,
    doc_id, run_id, holds, log, moving, fixed)
  SELECT ${TENANT}, ${JOB}, 2, state, at, iif(ended, state, NULL), iif(ended, at, NULL), iif(n > ${ROWS - JOBS_WITH_ROWS}, 1, 0),
    'INGEST', 'p1', 'd' || format('%07d', n / 2), 'r' || format('%04d', n / 200), '[]', ',' || (n * 2),
    iif(n > ${ROWS - JOBS_WITH_ROWS},
      format('{"outbox":[{"kind":"outbox","tenant_id":"t4","job_id":"j%07d","outbox_id":"o%07d","step_id":"s1","state":"PENDING","updated_at":"2026-01-01T00:00:00.000Z"}]}', n, n),
      '{"steps":{"0":{"state":"SUCCEEDED"}}}'),
    format('{"job":{"tenant_id":"t%d","job_id":"j%07d","updated_at":"2026-01-01T00:00:00.000Z"},"steps":[{"step_id":"s1","state":"PENDING"},{"step_id":"s2","state":"PENDING"}]}', n / 200001, n)
  FROM (SELECT n, n <= ${ROWS - OPEN_JOBS} AS ended, ${AT} AS at,
    CASE WHEN n > ${ROWS - OPEN_JOBS} THEN iif(n % 10 = 0, 'IN_PROGRESS', 'QUEUED')
      WHEN n % 20000 = 0 THEN 'CANCELLED' WHEN n % 500 = 0 THEN 'FAILED_FINAL' ELSE 'SUCCEEDED' END AS state FROM f)`,
  `${each(ROWS)}
  INSERT INTO record (kind, tenant_id, id, version, state, changed_at, adapter, log, body)
  SELECT 'document', ${TENANT}, 'd' || format('%07d', n), 2,
    CASE WHEN n % 20000 = 0 THEN 'failed' WHEN n % 50 = 0 THEN 'fetching' ELSE 'completed' END, ${AT}, 'a1', ',' || (n * 2), '{}'
  FROM f`,
  `${each(ROWS - OPEN_JOBS)}
  INSERT INTO closed_outbox
  SELECT ${TENANT}, 'o' || format('%07d', n), ${JOB}, 's1', iif(n % 20000 = 0, 'FAILED_FINAL', 'SENT'), ${AT}, '{}' FROM f WHERE n % 2 = 0`,
  `${each(ROWS)} INSERT INTO ready SELECT 'q' || (n / 100001), ${TENANT}, 'g' || (n / 10000 % 10), n, ${JOB} FROM f`,
  `${each(ROWS)} INSERT INTO due SELECT ${AT}, ${TENANT}, ${JOB} FROM f`,
  `${each(ROWS)}
  INSERT INTO log (first_seq, places, first_at, last_at, reach, sketch, entries) SELECT 2 * n, 2, ${AT}, ${AT}, ${AT}, '[]', '[]' FROM f`,
  // In the order of the table, one tag after the other.
  `${each(ROWS)} INSERT INTO log_tag SELECT 'eBAD', 2 * n FROM f WHERE n % 20000 = 7`,
  `${each(ROWS)} INSERT INTO log_tag SELECT 'sFAILED_FINAL', 2 * n FROM f WHERE n % 20000 = 7`,
  `${each(ROWS)} INSERT INTO log_tag SELECT 'sSUCCEEDED', 2 * n FROM f WHERE n % 20000 <> 7`,
  `${each(ROWS)} INSERT INTO log_tag SELECT 'tt1', 2 * n FROM f WHERE n % 5 = 1`,
  `${each(ROWS)} INSERT INTO log_tag SELECT 'urare', 2 * n FROM f WHERE n % 20000 = 0`,
  `${each(ROWS)} INSERT INTO log_tag SELECT 'uworker', 2 * n FROM f WHERE n % 5 < 2 AND n % 20000 <> 0`,
  ...['kdocument', 'koutbox', 'kstep', 'tt2'].map(
    (tag) =>
      `${each(ROWS)} INSERT INTO log_tag SELECT '${tag}', 2 * n FROM f WHERE n BETWEEN ${ROWS / 2 - 10} AND ${ROWS / 2 + 10}`,
  ),
  `UPDATE head SET seq = ${2 * ROWS + 1}, records = ${2 * ROWS}, at = ${FIRST_AT + ROWS * STEP_MS}`,
  `INSERT INTO state_count
  SELECT tenant_id, 'job', state, count(*) FROM job GROUP BY tenant_id, state
  UNION ALL SELECT tenant_id, kind, state, count(*) FROM record GROUP BY tenant_id, kind, state
  UNION ALL SELECT tenant_id, 'outbox', state, count(*) FROM closed_outbox GROUP BY tenant_id, state`,
]
