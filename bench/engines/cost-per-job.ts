import { openLedger } from 'waybill'
import { say } from '../../test/postgres/server.ts'
import { type Row, rowOf } from '../harness.ts'
import { BENCH_OPTIONS } from '../jobs/fresh-ledger.ts'
import { WORKLOADS } from '../jobs/workloads.ts'
import type { Bench } from '../suite/bench.ts'
import { freshPlace } from './engine.ts'

interface Spent {
  readonly calls: number
  readonly wal: number
  readonly rows: number
}

/** What a job of one step costs the server, by what it does: questions, bytes of its log, rows touched; and what it leaves. */
export async function costPerJob(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 2000 : 10_000
  const place = await freshPlace('postgres', bench.folder)
  const { schema } = place.options.postgres as { readonly schema: string }
  await trackWithin(place.url, 'all')
  const ledger = await openLedger(place.url, { ...BENCH_OPTIONS, ...place.options })
  try {
    await say(place.url, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    const submitted = await spentOn(place.url, schema, () => WORKLOADS.crowd(ledger, jobs))
    bench.progress('submitted', 0.5)
    const drained = await spentOn(place.url, schema, () => WORKLOADS.drainSubmitted(ledger, jobs))
    const bytes = await sizeOf(place.url, schema)
    return [
      ...rowsOf('a submit', submitted, jobs),
      ...rowsOf('claim and completion', drained, jobs),
      rowOf('a job that ended: bytes on disk', '', [bytes / jobs]),
    ]
  } finally {
    await ledger.close()
    await trackWithin(place.url, 'top')
    await place.remove()
  }
}

/** Whether statements within functions are counted, on connections from now on: it costs whoever does much in one call. */
async function trackWithin(url: string, what: 'all' | 'top'): Promise<void> {
  await say(
    url,
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET pg_stat_statements.track = ${what}', current_database()); END $$`,
  )
}

async function spentOn(url: string, schema: string, work: () => Promise<unknown>): Promise<Spent> {
  await say(url, 'SELECT pg_stat_statements_reset()')
  await work()
  const [sum = {}] = await say(
    url,
    `SELECT sum(calls) FILTER (WHERE toplevel) AS calls, sum(wal_bytes) FILTER (WHERE toplevel) AS wal,
       sum(rows) FILTER (WHERE NOT toplevel) AS rows
     FROM pg_stat_statements WHERE query LIKE '%' || $1 || '%'`,
    [schema],
  )
  return { calls: Number(sum.calls), wal: Number(sum.wal), rows: Number(sum.rows) }
}

/** All tables with their indexes. */
async function sizeOf(url: string, schema: string): Promise<number> {
  const [sum = {}] = await say(
    url,
    `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [schema],
  )
  return Number(sum.bytes)
}

function rowsOf(what: string, { calls, wal, rows }: Spent, jobs: number): readonly Row[] {
  return [
    rowOf(`${what}: calls to the server`, '', [calls / jobs]),
    rowOf(`${what}: bytes of write-ahead log`, '', [wal / jobs]),
    rowOf(`${what}: rows written and read inside`, '', [rows / jobs]),
  ]
}
