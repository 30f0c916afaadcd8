import { describe, expect, it } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { requestOf, testLedger } from '../../test/fixtures/live-ledger.ts'
import { CountChanged } from '../errors/refusal-errors.ts'

const QUEUE = 'only-service'

/** Jobs `a0`, `a1`, … and `b0`, … of two runs. */
async function setUp(jobs: { readonly [run_id: string]: number }, options = {}) {
  const { ledger, world } = await testLedger([pulled('only', { policy: { max_attempts: 1 } })], {
    inFlightLimit: 1000,
    ...options,
  })
  for (const [run_id, count] of Object.entries(jobs)) {
    for (let nth = 0; nth < count; nth++) {
      await ledger.jobs.submit(requestOf({ job_id: `${run_id}${nth}`, run_id }))
    }
  }
  const claim = async (limit: number) => ledger.jobs.claim({ queues: [QUEUE], limit })
  const failAll = async () => {
    for (const { step } of await claim(1000)) {
      const error = { code: 'BROKEN', message: 'no luck' }
      await ledger.jobs.result(step, { status: 'FAILED', failure_class: 'NON_RETRYABLE', error })
    }
  }
  const states = async (): Promise<{ readonly [state: string]: number }> =>
    Object.fromEntries(Object.entries(await ledger.counts('job', 't1')).filter(([, count]) => count > 0))
  return { ledger, world, claim, failAll, states }
}

describe('cancelling many', () => {
  it('says how many there are, and does nothing until it is told how many it may be', async () => {
    const { ledger, states } = await setUp({ a: 3, b: 2 })
    expect(await ledger.jobs.cancelMany({})).toEqual({ count: 5, is_more: false })
    expect(await ledger.jobs.cancelMany({ run_id: 'a' })).toEqual({ count: 3, is_more: false })
    expect(await ledger.jobs.cancelMany({ tenant_id: 'other' })).toEqual({ count: 0, is_more: false })
    expect(await states()).toEqual({ QUEUED: 5 })
    const report = await ledger.jobs.cancelMany(
      { run_id: 'a' },
      { expect: 3, actor: 'ann', reason: 'wrong run' },
    )
    expect(report).toEqual({ done: 3, unchanged: 0, failed_count: 0, failed: [] })
    expect(await states()).toEqual({ QUEUED: 2, CANCELLED: 3 })
    const history = await Array.fromAsync(ledger.jobs.history('a0'))
    expect(history.at(-1)).toMatchObject({ actor: 'ann', reason: 'wrong run', new_state: 'CANCELLED' })
  })

  it('does nothing when more match than were expected, and says how many', async () => {
    const { ledger, states } = await setUp({ a: 3 })
    const tooFew = ledger.jobs.cancelMany({ run_id: 'a' }, { expect: 2 })
    await expect(tooFew).rejects.toThrow(CountChanged)
    await expect(tooFew).rejects.toMatchObject({
      code: 'COUNT_CHANGED',
      status: 409,
      details: { expected: 2, count: 3, is_more: false },
    })
    expect(await states()).toEqual({ QUEUED: 3 })
    expect((await ledger.jobs.cancelMany({ run_id: 'a' }, { expect: 99 })).done).toBe(3)
    expect((await ledger.jobs.cancelMany({ run_id: 'a' }, { expect: 0 })).done).toBe(0)
  })

  it('tells those that stop from those that were stopping already', async () => {
    const { ledger, claim } = await setUp({ a: 3 })
    await claim(2)
    await ledger.jobs.cancel('a0')
    expect(await ledger.jobs.cancelMany({}, { expect: 3 })).toMatchObject({ done: 2, unchanged: 1 })
    expect(await ledger.jobs.cancelMany({}, { expect: 3 })).toMatchObject({ done: 0, unchanged: 2 })
  })

  it.each([
    ['expect', {}, { expect: -1 }],
    ['expect', {}, { expect: 10_001 }],
    ['state', { state: ['QUEUED', 'SUCCEEDED'] as const }, { expect: 1 }],
    ['state', { state: 'CANCELLED' as const }, {}],
  ])('refuses %s that is wrong: %j %j', async (field, filter, options) => {
    const { ledger } = await setUp({})
    await expect(ledger.jobs.cancelMany(filter, options)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field,
    })
  })

  it('says how far it is, and ends between two jobs when it is told to', async () => {
    const { ledger, states } = await setUp({ a: 120 })
    const told: number[] = []
    const enough = new AbortController()
    const cut = ledger.jobs.cancelMany(
      {},
      {
        expect: 120,
        signal: enough.signal,
        onProgress: ({ done, total }) => {
          told.push(done)
          expect(total).toBe(120)
          if (done === 30) enough.abort(new Error('enough'))
        },
      },
    )
    await expect(cut).rejects.toThrow('enough')
    // Those that were under way are done.
    const { CANCELLED = 0 } = await states()
    expect(told).toEqual(Array.from({ length: CANCELLED }, (_, i) => i + 1))
    expect(CANCELLED).toBeGreaterThanOrEqual(30)
    expect(CANCELLED).toBeLessThan(120)
    expect((await ledger.jobs.cancelMany({}, { expect: 120 })).done).toBe(120 - CANCELLED)
  })

  it('ends when something is wrong that is not about one job', async () => {
    const { ledger } = await setUp({ a: 3 })
    ledger.jobs.cancel = () => Promise.reject(new Error('the disk is gone'))
    await expect(ledger.jobs.cancelMany({}, { expect: 3 })).rejects.toThrow('the disk is gone')
  })
})

describe('running many again', () => {
  it('makes a new job of each that failed for good, once, however often it is asked', async () => {
    const { ledger, failAll, states } = await setUp({ a: 3, b: 1 })
    await ledger.jobs.cancel('b0')
    await failAll()
    expect(await ledger.jobs.againMany({})).toEqual({ count: 3, is_more: false })
    const report = await ledger.jobs.againMany({}, { expect: 3, request_key: 'monday' })
    expect(report).toEqual({ done: 3, unchanged: 0, failed_count: 0, failed: [] })
    expect(await ledger.jobs.againMany({}, { expect: 3, request_key: 'monday' })).toMatchObject({
      done: 0,
      unchanged: 3,
    })
    expect(await states()).toEqual({ FAILED_FINAL: 3, CANCELLED: 1, QUEUED: 3 })
    // Jobs that were run again failed again: the first ones have had their turn.
    await failAll()
    expect(await ledger.jobs.againMany({}, { expect: 6, request_key: 'monday' })).toMatchObject({
      done: 3,
      unchanged: 3,
    })
    expect(await ledger.jobs.againMany({ state: ['CANCELLED', 'SUCCEEDED'] }, { expect: 1 })).toMatchObject({
      done: 1,
    })
    const { items } = await ledger.jobs.list({ state: 'QUEUED' })
    expect(items.map(({ again_of }) => again_of)).toContain('b0')
  })

  it('says of which none could be made, and why', async () => {
    const { ledger, failAll } = await setUp({ a: 3 }, { inFlightLimit: 3 })
    await failAll()
    await ledger.jobs.submit(requestOf({ run_id: 'b' }))
    const report = await ledger.jobs.againMany({ run_id: 'a' }, { expect: 3 })
    expect(report).toMatchObject({ done: 2, failed_count: 1, failed: [{ code: 'IN_FLIGHT_LIMIT' }] })
    const wrong = await ledger.jobs.againMany(
      { run_id: 'a' },
      { expect: 9, from_step: 'none', request_key: 'k' },
    )
    expect(wrong).toMatchObject({ done: 0, failed_count: 3 })
    expect(wrong.failed.map(({ job_id, code }) => `${job_id} ${code}`).sort()).toEqual(
      ['a0', 'a1', 'a2'].map((id) => `${id} STEP_UNKNOWN`),
    )
  })

  it('refuses jobs that are open, and a key that is none', async () => {
    const { ledger, failAll } = await setUp({ a: 1 })
    await expect(ledger.jobs.againMany({ state: 'QUEUED' })).rejects.toMatchObject({ field: 'state' })
    await failAll()
    await expect(ledger.jobs.againMany({}, { expect: 1, request_key: '' })).rejects.toMatchObject({
      field: 'request_key',
    })
  })
})

describe('counting', () => {
  it('counts what matches, whatever its state', async () => {
    const { ledger, failAll } = await setUp({ a: 2 })
    await failAll()
    await ledger.jobs.submit(requestOf({ job_id: 'c', run_id: 'b' }))
    expect(await ledger.jobs.count()).toEqual({ count: 3, is_more: false })
    expect(await ledger.jobs.count({ state: 'QUEUED', request_type: 'TEST' })).toMatchObject({ count: 1 })
    expect(await ledger.jobs.count({ request_type: 'OTHER' })).toMatchObject({ count: 0 })
  })
})
