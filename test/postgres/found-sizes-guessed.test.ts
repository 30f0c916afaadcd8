// The server counted a list of work when all of it had just been done, and took it for nearly empty from then on. To remove a
// few rows of the next thousand it read all of them, and compared each with each.
import { expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { requestOf } from '../fixtures/live-ledger.ts'
import { freshSchema, say, testServer } from './server.ts'

const JOBS = 1000
const AT_ONCE = 10
/** Rows of one index that are looked at for a job, from beginning to end: a few for each write. */
const MOST_READ = 50

const PULLED = {
  protocol_id: 'pulled.v1',
  request_type: 'TEST',
  steps: [{ step_id: 'read', step_type: 'READ', service: 'reader', delivery: 'pull' }],
} as const

async function submitAndWorkOff(ledger: Ledger): Promise<void> {
  await ledger.batch((make) => Array.from({ length: JOBS }, () => make.submit(requestOf())))
  for (let left = JOBS; left > 0; left -= AT_ONCE) {
    const works = await ledger.jobs.claim({ queues: ['reader'], limit: AT_ONCE })
    expect(works).toHaveLength(AT_ONCE)
    await ledger.batch((make) => works.map(({ step }) => make.result(step, { status: 'SUCCEEDED' })))
  }
}

it('what a write reads does not depend on how large the server takes its tables for', async () => {
  const { url } = await testServer()
  const schema = freshSchema()
  const open = () =>
    openLedger(url, { tenant_id: 't1', protocols: [PULLED], inFlightLimit: JOBS, postgres: { schema } })
  const rowsRead = async () => {
    const read = await say(
      url,
      `SELECT relname, sum(idx_tup_read)::int AS rows FROM pg_stat_user_indexes WHERE schemaname = '${schema}' GROUP BY 1`,
    )
    return new Map(read.map(({ relname, rows }) => [relname as string, rows as number]))
  }
  const first = await open()
  await submitAndWorkOff(first)
  await first.close()
  for (const table of ['ready', 'due', 'wait', 'slot']) await say(url, `ANALYZE "${schema}".${table}`)
  const before = await rowsRead()
  const second = await open()
  await submitAndWorkOff(second)
  await second.close()
  const after = await rowsRead()
  const perJob = [...after].map(([table, rows]) => [table, (rows - (before.get(table) ?? 0)) / JOBS] as const)
  expect(perJob.filter(([, rows]) => rows > MOST_READ)).toEqual([])
})

it('every function that writes looks rows up by their keys', async () => {
  const { url } = await testServer()
  const schema = freshSchema()
  await (await openLedger(url, { postgres: { schema } })).close()
  const functions = await say(
    url,
    `SELECT proname, 'enable_seqscan=off' = ANY (proconfig) AS by_index, 'enable_indexscan=off' = ANY (proconfig) AS by_key FROM pg_proc
     WHERE pronamespace = '${schema}'::regnamespace AND proname LIKE 'write%' ORDER BY 1`,
  )
  expect(functions).toEqual([
    { proname: 'write', by_index: true, by_key: true },
    { proname: 'write_alike', by_index: true, by_key: true },
    // Each of its statements names one row: with an index there is no other way.
    { proname: 'write_lone', by_index: true, by_key: false },
  ])
})
