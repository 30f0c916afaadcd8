// The service is busy, and says for how long it wants to be left alone. It is, nothing is lost, and whoever waited too long is told.
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { ACTING, toldOf } from '../fixtures/acts.ts'
import { fastWorld } from '../fixtures/fast-world.ts'
import { requestOf } from '../fixtures/live-ledger.ts'
import { within } from '../fixtures/within.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'
import { startProxy, type TablesProxy } from './proxy.ts'

const LONGEST_MS = 30_000
/** What is waited for is over in a fiftieth of the time. */
const SPEED = 50
const RETRY_AFTER_S = 3

const BUSY = { status: 503, headers: { 'Retry-After': String(RETRY_AFTER_S) } } as const

let proxy: TablesProxy
const prefixes: string[] = []

beforeAll(async () => {
  proxy = await startProxy(await testTables())
})

afterEach(() => {
  proxy.decide = () => 'pass'
})

afterAll(async () => {
  await proxy.stop()
  await dropTables(...prefixes)
})

async function open(world: ReturnType<typeof fastWorld>, patienceMs: number): Promise<Ledger> {
  const prefix = freshPrefix()
  prefixes.push(prefix)
  const azureTables = { patienceMs, requestTimeoutMs: 10 * patienceMs }
  return openLedger(proxy.address(prefix), { ...ACTING, azureTables, world })
}

async function oneJob(ledger: Ledger): Promise<void> {
  await ledger.jobs.submit(requestOf({ job_id: 'j' }))
  const [work] = await ledger.jobs.claim({ queues: ['worker'] })
  if (work === undefined) return expect.unreachable('there is a job')
  await ledger.jobs.result(work.step, { status: 'SUCCEEDED', output: 1 })
}

describe('a service that is busy', () => {
  it('is left alone for as long as it says, and everything is done once', async () => {
    const world = fastWorld(SPEED)
    await using ledger = await open(world, 60_000)
    /** When each was turned away. */
    const turnedAway = new Map<string, number>()
    const waits: number[] = []
    proxy.decide = (_, { method, path, body }) => {
      // What is written at once is sent under another name each time.
      const request = `${method} ${path} ${body.replaceAll(/(?:batch|changeset)_[\w-]+/g, '')}`
      const since = turnedAway.get(request)
      if (since === undefined) {
        turnedAway.set(request, world.clock.now())
        return BUSY
      }
      if (since > 0) waits.push(world.clock.now() - since)
      turnedAway.set(request, 0)
      return 'pass'
    }
    await within(LONGEST_MS, 'a job', oneJob(ledger))
    proxy.decide = () => 'pass'
    expect(waits.length).toBeGreaterThan(10)
    // Clocks and timers are right to the millisecond.
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1000 - SPEED)
    await using undisturbed = await open(world, 60_000)
    await oneJob(undisturbed)
    expect(await toldOf(ledger)).toEqual(await toldOf(undisturbed))
    expect(await ledger.check()).toEqual([])
  })

  it('is given up after a while: nothing was written, and nothing is lost when it is back', async () => {
    const world = fastWorld(SPEED)
    await using ledger = await open(world, 10_000)
    await ledger.jobs.submit(requestOf({ job_id: 'first' }))
    proxy.decide = () => BUSY
    const request = requestOf({ job_id: 'j', idempotency_key: 'once' })
    const error = await within(LONGEST_MS, 'giving up', ledger.jobs.submit(request)).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(error.message).toContain('127.0.0.1')
    expect(inspect(error, { depth: 10 })).not.toContain(/AccountKey=([^;]+)/.exec(proxy.account)?.[1])
    proxy.decide = () => 'pass'
    expect((await ledger.jobs.list()).items.map(({ job_id }) => job_id)).toEqual(['first'])
    expect(await ledger.jobs.submit(request)).toMatchObject({ job_id: 'j', duplicate: false })
    expect(await ledger.check()).toEqual([])
  })
})
