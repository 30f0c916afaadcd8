// Two processes that write the same jobs in opposite order. Rows are locked in one order whatever was asked for, so that
// nobody waits for somebody who waits for them.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { requestOf } from '../fixtures/live-ledger.ts'
import { freshSchema, type OwnServer, say, startServer } from './server.ts'

const ROUNDS = 30
const JOBS = 40

/** The server looks for deadlocks after a second: whoever waits longer was in one, or behind one. */
const LONGEST_MS = 2000

const PROTOCOL = {
  protocol_id: 'test.v1',
  request_type: 'TEST',
  steps: [{ step_id: 'only', step_type: 'WORK', service: 'worker', delivery: 'pull' }],
} as const

let server: OwnServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server.stop())

it('never lock each other out, and nobody is told of it', async () => {
  const options = {
    postgres: { schema: freshSchema() },
    tenant_id: 't1',
    inFlightLimit: 10_000,
    protocols: [PROTOCOL],
  }
  const ledgers: Ledger[] = []
  for (let n = 0; n < 3; n++) ledgers.push(await openLedger(server.url, options))
  const [one, other, third] = ledgers as [Ledger, Ledger, Ledger]
  let longest = 0
  const timed = async <T>(call: Promise<T>): Promise<T> => {
    const began = performance.now()
    const answer = await call
    longest = Math.max(longest, performance.now() - began)
    return answer
  }
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: JOBS }, () => one.jobs.submit(requestOf())))
    const works = await third.jobs.claim({ queues: ['worker'], limit: JOBS })
    expect(works).toHaveLength(JOBS)
    const steps = works.map(({ step }) => step)
    await Promise.all([
      timed(one.batch((make) => steps.map((step) => make.result(step, { status: 'SUCCEEDED' })))),
      timed(other.batch((make) => steps.toReversed().map(({ job_id }) => make.cancel(job_id)))),
      timed(
        third.batch((make) =>
          steps.map((_, n) => make.heartbeat(steps[(n * 7) % JOBS] as (typeof steps)[number])),
        ),
      ).catch((error) => expect(error).toMatchObject({ code: 'LEASE_MISMATCH' })),
    ])
  }
  expect(longest).toBeLessThan(LONGEST_MS)
  const { SUCCEEDED = 0, CANCELLED = 0 } = await one.counts('job')
  expect(SUCCEEDED + CANCELLED).toBe(ROUNDS * JOBS)
  expect(await one.check()).toEqual([])
  for (const ledger of ledgers) await ledger.close()
  expect(await say(server.url, 'SELECT sum(deadlocks)::int AS n FROM pg_stat_database')).toEqual([{ n: 0 }])
})
