// A ledger with a million rows in each of its large tables, filled by the server itself: going through the ledger would take
// minutes. The rows are small; what the tests ask of them is only where they stand.
import pg from 'pg'
import { quotedSchema } from '../../src/store/postgres/migrations/migrations.ts'
import { FIRST_AT, JOBS_WITH_ROWS, OPEN_JOBS, ROWS, STEP_MS } from '../tables/million.ts'

/** As they were made for the table; made again when it is full, which takes far less time. */
interface IndexDefinition {
  readonly table: string
  readonly name: string
  readonly made: string
  readonly gone: string
}

export async function fillWithAMillion(url: string, schema: string): Promise<void> {
  const s = quotedSchema(schema)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const table of TABLES) await client.query(`ALTER TABLE ${s}.${table} SET UNLOGGED`)
    const indexes = await indexesOf(client, schema)
    for (const { gone } of indexes) await client.query(gone)
    await twoAtATime(url, fillSql(s))
    await twoAtATime(
      url,
      indexes.map(({ made }) => made),
    )
    await client.query(countSql(s))
    await client.query(
      `VACUUM (ANALYZE, PARALLEL 0) ${[...TABLES, 'log', 'state_count'].map((table) => `${s}.${table}`).join(', ')}`,
    )
  } finally {
    await client.end()
  }
}

/** As many as there are processors on a small machine. */
async function twoAtATime(url: string, texts: readonly string[]): Promise<void> {
  const left = [...texts]
  const work = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(`SET maintenance_work_mem = '128MB'; SET max_parallel_maintenance_workers = 0`)
      for (let text = left.shift(); text !== undefined; text = left.shift()) await client.query(text)
    } finally {
      await client.end()
    }
  }
  await Promise.all([work(), work()])
}

const TABLES = ['job', 'born', 'record', 'closed_outbox', 'ready', 'due'] as const

async function indexesOf(client: pg.Client, schema: string): Promise<readonly IndexDefinition[]> {
  const { rows } = await client.query<IndexDefinition>(
    `SELECT c.relname AS name, t.relname AS table,
      CASE WHEN o.oid IS NULL THEN replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
        ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, o.conname, pg_get_constraintdef(o.oid)) END AS made,
      CASE WHEN o.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
        ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, o.conname) END AS gone
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    LEFT JOIN pg_constraint o ON o.conindid = i.indexrelid
    WHERE t.relnamespace = $1::regnamespace AND t.relname = ANY ($2)`,
    [schema, [...TABLES, 'log']],
  )
  return rows
}

const fillSql = (s: string): readonly string[] => [
  `INSERT INTO ${s}.job (tenant_id, job_id, request_type, protocol_id, doc_id, run_id, version, changed_at, ended_at,
    open_rows, state, ended_state, holds, log, moving)
  SELECT 't' || n / 200001, 'j' || lpad(n::text, 7, '0'), 'INGEST', 'p1', 'd' || lpad((n / 2)::text, 7, '0'), 'r' || lpad((n / 200)::text, 4, '0'),
    2, at, CASE WHEN ended THEN at END,
    CASE WHEN rows THEN 1 ELSE 0 END, state, CASE WHEN ended THEN state END, NULL, ARRAY[n, n + 1],
    CASE WHEN rows THEN format('{"outbox":[{"outbox_id":"o%s","step_id":"s1","state":"PENDING","updated_at":"2026-01-01T00:00:00.000Z"}]}', lpad(n::text, 7, '0'))
      ELSE '{"steps":{"0":{"state":"SUCCEEDED"}}}' END
  FROM (SELECT n, n <= ${ROWS - OPEN_JOBS} AS ended, n > ${ROWS - JOBS_WITH_ROWS} AS rows, ${FIRST_AT} + n::bigint * ${STEP_MS} AS at,
      CASE WHEN n > ${ROWS - OPEN_JOBS} THEN CASE WHEN n % 10 = 0 THEN 'IN_PROGRESS' ELSE 'QUEUED' END
        WHEN n % 20000 = 0 THEN 'CANCELLED' WHEN n % 500 = 0 THEN 'FAILED_FINAL' ELSE 'SUCCEEDED' END AS state
    FROM generate_series(1, ${ROWS}) AS n) AS f`,
  `INSERT INTO ${s}.born
  SELECT 't' || n / 200001, 'j' || lpad(n::text, 7, '0'),
    '{"job":{},"steps":[{"step_id":"s1","state":"PENDING"},{"step_id":"s2","state":"PENDING"}]}' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO ${s}.record (kind, tenant_id, id, adapter, version, changed_at, state, log, body)
  SELECT 'document', 't' || n / 200001, 'd' || lpad(n::text, 7, '0'), 'a' || n % 7, 2, ${FIRST_AT} + n::bigint * ${STEP_MS},
    CASE WHEN n % 20000 = 0 THEN 'failed' WHEN n % 50 = 0 THEN 'fetching' ELSE 'completed' END, ARRAY[n, n + 1], '{}'
  FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO ${s}.closed_outbox
  SELECT 't' || n / 200001, 'o' || lpad(n::text, 7, '0'), 'j' || lpad(n::text, 7, '0'), 's1', CASE WHEN n % 20000 = 0 THEN 'FAILED_FINAL' ELSE 'SENT' END,
    ${FIRST_AT} + n::bigint * ${STEP_MS}, '{}'
  FROM generate_series(2, ${ROWS - OPEN_JOBS}, 2) AS n`,
  `INSERT INTO ${s}.ready SELECT 'q' || n / 100001, 't' || n / 200001, 'g' || n / 10000 % 10, n, 'j' || lpad(n::text, 7, '0') FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO ${s}.due SELECT ${FIRST_AT} + n::bigint * ${STEP_MS}, 't' || n / 200001, 'j' || lpad(n::text, 7, '0') FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO ${s}.log (first_seq, places, chunk_id, first_at, last_at, reach, at, tags, sketch, entries)
  SELECT 2 * n - 1, 2, n, at, at, at, to_timestamp(at / 1000.0),
    ARRAY['tt2', 'tt' || n % 5, 'kjob', 'kdocument', 'kstep', 'koutbox', 'vmoved', 'aservice',
      CASE WHEN n % 20000 = 0 THEN 'urare' ELSE 'uworker' END, CASE WHEN n % 20000 = 7 THEN 'sFAILED_FINAL' ELSE 'sSUCCEEDED' END]
      || CASE WHEN n % 20000 = 7 THEN ARRAY['eBAD'] ELSE '{}' END, '[]', '[]'
  FROM (SELECT n, ${FIRST_AT} + n::bigint * ${STEP_MS} AS at FROM generate_series(1, ${ROWS}) AS n) AS f`,
  `UPDATE ${s}.head SET seq = ${2 * ROWS}, records = ${2 * ROWS}, at = ${FIRST_AT + ROWS * STEP_MS}, reach = ${FIRST_AT + ROWS * STEP_MS}`,
]

const countSql = (s: string): string =>
  `INSERT INTO ${s}.state_count
  SELECT tenant_id, 'job', state, count(*) FROM ${s}.job GROUP BY tenant_id, state
  UNION ALL SELECT tenant_id, kind, state, count(*) FROM ${s}.record GROUP BY tenant_id, kind, state`
