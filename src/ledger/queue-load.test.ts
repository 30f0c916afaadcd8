import { expect, it } from 'vitest'
import { isEmulated, openTestLedger } from '../../test/fixtures/test-ledger.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import type { Envelope } from './request.ts'

const pulled = { step_type: 'X', delivery: 'pull' } as const

const PROTOCOLS = [
  {
    protocol_id: 'pulled',
    request_type: 'PULLED',
    steps: [
      { ...pulled, step_id: 'a', service: 'first' },
      { ...pulled, step_id: 'b', service: 'second' },
    ],
  },
  {
    protocol_id: 'pushed',
    request_type: 'PUSHED',
    steps: [{ step_id: 'p', step_type: 'P', service: 'service', delivery: 'push' }],
  },
] as const

function request(request_type: string, input_ref: string): Envelope {
  return { tenant_id: 'default', request_type, input_ref, output_ref: 'o', payload: {}, schema_version: 'v1' }
}

it('counts what is ready, running and to be tried again, each in one place only', async () => {
  const world = virtualWorld()
  await using ledger = await openTestLedger({ world, protocols: PROTOCOLS, inFlightLimit: 5000 })
  const { jobs, queues } = ledger
  await queues.limit('first', { concurrency: 2, rate: { max: 10, per_ms: 60_000 } })
  await queues.pause('steered')
  await jobs.submit(request('PULLED', '1'))
  const since = world.clock.now()
  await world.advanceBy(60_000)
  for (const input of ['2', '3', '4']) await jobs.submit(request('PULLED', input))
  await jobs.submit(request('PUSHED', '1'))
  const claimed = await jobs.claim({ queues: ['first'], limit: 2 })
  const [failed] = claimed
  if (failed === undefined) throw new Error('Nothing was claimed')
  const error = { code: 'X', message: 'x' }
  await jobs.result(failed.step, { status: 'FAILED', failure_class: 'RETRYABLE', error })

  const none = { count: 0, is_more: false }
  const one = { count: 1, is_more: false }
  const idle = { state: 'running', concurrency: null, ready: none, running: none, retrying: none }
  expect(await queues.loads()).toMatchObject({
    is_more: false,
    queues: [
      {
        ...idle,
        queue: 'first',
        concurrency: 2,
        concurrency_used: 1,
        rate_used: 2,
        ready: { count: 2, is_more: false },
        running: one,
        retrying: one,
        oldest_ready_at: new Date(since + 60_000).toISOString(),
      },
      // The steps of jobs that have not come so far.
      { ...idle, queue: 'second', oldest_ready_at: null },
      // A directive that nobody has published is ready, and does not run.
      { ...idle, queue: 'service', ready: one },
      { ...idle, queue: 'steered', state: 'paused', state_since: expect.any(String) },
    ],
  })
  expect(await queues.load('service')).toMatchObject({ queue: 'service', ready: one })
  expect(await queues.load('nobody')).toBeNull()
})

// A thousand jobs; which of them are found is tried by the one above.
it.skipIf(isEmulated)('says when there is more than it counted', async () => {
  await using ledger = await openTestLedger({
    world: virtualWorld(),
    protocols: PROTOCOLS,
    inFlightLimit: 5000,
  })
  await Promise.all(Array.from({ length: 1001 }, (_, i) => ledger.jobs.submit(request('PUSHED', `${i}`))))
  expect((await ledger.queues.load('service'))?.ready).toEqual({ count: 1000, is_more: true })
})
