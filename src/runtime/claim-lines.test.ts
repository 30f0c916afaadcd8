import { describe, expect, it } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import type { Work } from '../ledger/claim.ts'
import { ClaimLines, type ClaimLinesOptions, type LongClaim } from './claim-lines.ts'

const QUEUE = 'first-service'

async function setUp(options?: ClaimLinesOptions) {
  const { ledger, world } = await liveLedger([pulled('first')], { inFlightLimit: 1000 })
  let tries = 0
  const claim = ledger.jobs.claim.bind(ledger.jobs)
  ledger.jobs.claim = (asked) => {
    tries++
    return claim(asked)
  }
  const lines = new ClaimLines(ledger, world, options)
  /** What each came to, once it came to something; times are since the beginning. */
  const began = world.clock.now()
  const ask = (request: Partial<LongClaim> = {}) => {
    const asked: { works: readonly Work[] | null; at: number | null; error: unknown } = {
      works: null,
      at: null,
      error: null,
    }
    const promise = lines.claim({ queues: [QUEUE], waitMs: 30_000, ...request }).then(
      (works) => {
        asked.works = works
        asked.at = world.clock.now() - began
      },
      (error: unknown) => {
        asked.error = error
      },
    )
    return Object.assign(asked, { promise })
  }
  const submit = (job_id: string, tenant_id = 't1') =>
    ledger.jobs.submit(requestOf({ job_id, tenant_id, payload: { job_id } }))
  return { ledger, world, lines, ask, submit, tries: () => tries }
}

const idsOf = (works: readonly Work[] | null) => works?.map(({ job }) => job.job_id) ?? null

describe('claiming with patience', () => {
  it('answers at once when there is work, and when nobody wants to wait', async () => {
    const { lines, submit, ask, world } = await setUp()
    await submit('a')
    await submit('b')
    await submit('c')
    expect(idsOf(await lines.claim({ queues: [QUEUE], limit: 2, worker: 'w' }))).toEqual(['a', 'b'])
    const [work] = await lines.claim({ queues: [QUEUE], waitMs: 60_000, worker: 'w' })
    expect(work?.step).toMatchObject({ job_id: 'c', holder: 'w' })
    const nothing = ask({ waitMs: 0 })
    await world.advanceBy(0)
    expect(nothing).toMatchObject({ works: [], at: 0 })
    expect(lines.waiting).toBe(0)
  })

  it('answers as soon as there is work, else with nothing when the time is over', async () => {
    const { ledger, submit, ask, world, tries } = await setUp()
    const one = ask({ waitMs: 10_000 })
    const other = ask({ waitMs: 20_000 })
    await world.advanceBy(5000)
    await submit('a')
    await world.advanceBy(60_000)
    expect([idsOf(one.works), one.at, idsOf(other.works), other.at]).toEqual([['a'], 5000, [], 20_000])
    expect(tries()).toBeLessThanOrEqual(5)
    await ledger.close()
  })

  it('is woken by a timer that makes something ready', async () => {
    const { ledger, ask, world, tries } = await setUp()
    ledger.keepTime()
    await ledger.jobs.submit(requestOf({ job_id: 'later', delay: '7s' }))
    const asked = ask()
    await world.advanceBy(30_000)
    expect([idsOf(asked.works), asked.at]).toEqual([['later'], 7000])
    expect(tries()).toBeLessThanOrEqual(4)
    await ledger.close()
  })

  it('is woken when a rate lets the next one begin, and when a queue is resumed', async () => {
    const { ledger, ask, submit, world } = await setUp()
    await ledger.queues.limit(QUEUE, { rate: { max: 1, per_ms: 10_000 } })
    await submit('a')
    await submit('b')
    const [one, other] = [ask(), ask()]
    await world.advanceBy(30_000)
    expect([idsOf(one.works), one.at, idsOf(other.works), other.at]).toEqual([['a'], 0, ['b'], 10_000])
    await ledger.queues.limit(QUEUE, { rate: null })
    await ledger.queues.pause(QUEUE)
    await submit('c')
    const third = ask()
    await world.advanceBy(1000)
    expect(third.works).toBeNull()
    await ledger.queues.resume(QUEUE)
    await world.advanceBy(0)
    expect(idsOf(third.works)).toEqual(['c'])
    await ledger.close()
  })

  it('gives one job to one of a hundred who wait, the first, and few of them try', async () => {
    const { ask, submit, world, tries, lines } = await setUp()
    const asked = Array.from({ length: 100 }, () => ask())
    await world.advanceBy(10)
    expect(tries()).toBe(1)
    await submit('only')
    await world.advanceBy(10)
    expect(asked.flatMap(({ works }, nth) => (works === null ? [] : [[nth, idsOf(works)]]))).toEqual([
      [0, ['only']],
    ])
    expect(tries()).toBeLessThanOrEqual(6)
    expect(lines.waiting).toBe(99)
    await world.advanceBy(60_000)
    expect(asked.filter(({ works }) => works?.length === 0)).toHaveLength(99)
    expect(tries()).toBeLessThanOrEqual(6)
    expect(lines.waiting).toBe(0)
  })

  it('serves everybody while there is enough, in their order, whatever else they wait for', async () => {
    const { ask, submit, world, tries } = await setUp()
    const asked = Array.from({ length: 50 }, () => ask({ tenants: ['t1'] }))
    const elsewhere = [ask({ queues: ['other'] }), ask({ tenants: ['t9'] }), ask({ tenants: ['t9'] })]
    await world.advanceBy(10)
    for (let nth = 0; nth < 50; nth++) await submit(`j${String(nth).padStart(2, '0')}`)
    await submit('theirs', 't9')
    await world.advanceBy(10)
    expect(asked.map(({ works }) => works?.length)).toEqual(new Array(50).fill(1))
    expect(elsewhere.map(({ works }) => idsOf(works))).toEqual([null, ['theirs'], null])
    // Each submission and each claim is news to all three lines.
    expect(tries()).toBeLessThanOrEqual(3 * 2 * 51)
  })

  it('lets tenants take turns, though nobody knows what is still under way', async () => {
    const { lines, submit, world } = await setUp()
    for (let nth = 0; nth < 20; nth++) await submit(`many${nth}`, 'many')
    await world.advanceBy(10)
    for (let nth = 0; nth < 2; nth++) await submit(`few${nth}`, 'few')
    const tenants: (string | undefined)[] = []
    for (let nth = 0; nth < 4; nth++) {
      tenants.push((await lines.claim({ queues: [QUEUE] }))[0]?.job.tenant_id)
    }
    expect(tenants).toEqual(['many', 'few', 'many', 'few'])
  })

  it('claims nothing for those who are gone', async () => {
    const { ask, submit, world, ledger, tries } = await setUp()
    const gone = new AbortController()
    const one = ask({ signal: gone.signal })
    await world.advanceBy(10)
    gone.abort()
    await one.promise
    expect([one.works, one.at]).toEqual([[], 10])
    expect(await ask({ signal: gone.signal }).promise).toBeUndefined()
    await submit('a')
    await world.advanceBy(10)
    expect((await ledger.jobs.get('a'))?.state).toBe('QUEUED')
    expect(tries()).toBe(1)
  })

  it('gives back at once what was being claimed for somebody who went, and it costs no attempt', async () => {
    const { ask, submit, world, ledger } = await setUp()
    await submit('a')
    const gone = new AbortController()
    const one = ask({ signal: gone.signal, worker: 'w' })
    // The claim is under way: it begins when it is asked for, and nothing has been awaited since.
    gone.abort()
    await one.promise
    expect(one.works).toEqual([])
    await world.advanceBy(0)
    const shown = await ledger.jobs.show('a')
    expect(shown?.steps[0]).toMatchObject({ state: 'FAILED_RETRY', holder: null, released: 1 })
    const history = await Array.fromAsync(ledger.jobs.history('a'))
    expect(history.some(({ reason }) => reason === 'Whoever asked for it was gone')).toBe(true)
    const next = ask()
    await next.promise
    expect(next.works?.[0]?.step).toMatchObject({ job_id: 'a', attempt_no: 2, released: 1 })
  })

  it('hears of what happened while nobody waited', async () => {
    // Somebody went while a slow claim for it found nothing. Nobody told its line of news any more, and the next to come
    // would have waited in it for work that had long been there.
    const { ask, submit, world, ledger } = await setUp()
    const slow = Promise.withResolvers<void>()
    const claim = ledger.jobs.claim
    ledger.jobs.claim = async (asked) => {
      const works = await claim(asked)
      await slow.promise
      return works
    }
    const gone = new AbortController()
    const one = ask({ signal: gone.signal })
    await world.advanceBy(0)
    gone.abort()
    await one.promise
    await submit('a')
    const next = ask()
    slow.resolve()
    await world.advanceBy(0)
    expect(idsOf(next.works)).toEqual(['a'])
  })

  it('answers everybody with nothing when it stops, and gives back what was under way', async () => {
    const { ask, submit, world, lines, ledger } = await setUp()
    const waiting = Array.from({ length: 5 }, () => ask({ queues: ['other'] }))
    await world.advanceBy(0)
    await submit('a')
    const claiming = ask()
    await lines.stop()
    await lines.stop()
    for (const { promise, works } of [...waiting, claiming]) {
      await promise
      expect(works).toEqual([])
    }
    expect(await ledger.jobs.show('a')).toMatchObject({ steps: [{ state: 'FAILED_RETRY', released: 1 }] })
    expect(await lines.claim({ queues: [QUEUE], waitMs: 1000 })).toEqual([])
    expect(lines.waiting).toBe(0)
  })

  it('tells those who would be too many when to ask again, and takes more when others have left', async () => {
    const { ask, lines, world } = await setUp({ mostWaiting: 2 })
    ask({ waitMs: 10 })
    ask()
    await expect(lines.claim({ queues: [QUEUE] })).rejects.toMatchObject({
      code: 'TOO_MANY_WAITING',
      status: 503,
      retryAfterSeconds: 1,
    })
    await world.advanceBy(10)
    const third = ask({ waitMs: 5 })
    await world.advanceBy(5)
    expect(third.works).toEqual([])
  })

  it('tells all who wait when the ledger fails them', async () => {
    const { ask, world, ledger, lines } = await setUp()
    const asked = [ask(), ask(), ask()]
    await world.advanceBy(0)
    ledger.jobs.claim = () => Promise.reject(new Error('the disk is gone'))
    await ledger.jobs.submit(requestOf())
    await world.advanceBy(0)
    expect(asked.map(({ error }) => String(error))).toEqual(new Array(3).fill('Error: the disk is gone'))
    expect(lines.waiting).toBe(0)
  })

  it.each([
    ['queues', { queues: [''] }],
    ['tenants', { tenants: ['a\nb'] }],
    ['limit', { limit: 0 }],
    ['worker', { worker: '' }],
    ['waitMs', { waitMs: 60_001 }],
    ['waitMs', { waitMs: -1 }],
  ])('refuses %s that is wrong: %j', async (field, wrong) => {
    const { lines } = await setUp()
    await expect(lines.claim({ queues: [QUEUE], ...wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field,
    })
    expect(lines.waiting).toBe(0)
  })
})
