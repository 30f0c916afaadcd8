// The connection is cut just before a write reaches the server, or just after it was done there. The caller cannot tell one
// from the other; the ledger can, by asking the server. So everything is answered as if nothing had happened, and happens once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { systemTimers } from '../../src/world/timers.ts'
import { ACTING, ACTS, type Act, toldOf } from '../fixtures/acts.ts'
import { requestOf } from '../fixtures/live-ledger.ts'
import { within } from '../fixtures/within.ts'
import { type LossyProxy, startProxy } from './proxy.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'

/** More connections than a process has. */
const MOST_LINKS = 10

const LONGEST_MS = 10_000

/** One of the functions that write is called. */
const WRITES = /\b(?:write(?:_alike|_lone)?|append)\0/

type Cut = 'before it came to the server' | 'after it was done there'

/** A process that has written more than once knows what there is, and adds its writes to the end of the log. */
type Place = 'in place' | 'at the end'
const WRITES_BEFORE = { 'in place': 0, 'at the end': 4 } as const

describe('a write whose answer never comes', () => {
  let server: TestServer
  let proxy: LossyProxy

  beforeAll(async () => {
    server = await testServer()
    proxy = await startProxy(server.url)
  })

  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  /** Cuts the connection once; answers whether it did. */
  function cutOnce(cut: Cut, id: string): () => boolean {
    let isAsked = false
    let isCut = false
    proxy.cutsQuestion = (said) => {
      if (isAsked || !WRITES.test(said.toString('latin1')) || !said.includes(id)) return false
      isAsked = true
      isCut = cut === 'before it came to the server'
      return isCut
    }
    proxy.cutsAnswer = (said) => {
      if (!isAsked || isCut) return false
      isCut = isEndOfWrite(said.toString('latin1'))
      return isCut
    }
    return () => isCut
  }

  async function open(url: string, place: Place, more: object = {}): Promise<Ledger> {
    const ledger = await openLedger(url, { ...ACTING, postgres: { schema: freshSchema() }, ...more })
    for (let nth = 0; nth < WRITES_BEFORE[place]; nth++) {
      await ledger.documents.updateState(`before-${nth}`, 'fetching')
    }
    return ledger
  }

  const cases = Object.keys(ACTS).flatMap((what) =>
    (['in place', 'at the end'] as const).flatMap((place) =>
      (['before it came to the server', 'after it was done there'] as const).map((cut) => ({
        what,
        place,
        cut,
      })),
    ),
  )

  it.each(cases)('$what, $place, cut $cut, is done once', async ({ what, place, cut }) => {
    const { prepare, run } = ACTS[what] as Act
    await using ledger = await open(proxy.url, place)
    await using undisturbed = await open(server.url, place)
    const expected = await run(undisturbed, 'x1', await prepare?.(undisturbed, 'x1'))
    const made = await prepare?.(ledger, 'x1')
    const wasCut = cutOnce(cut, 'x1')
    expect(await within(LONGEST_MS, what, run(ledger, 'x1', made))).toEqual(expected)
    expect(wasCut()).toBe(true)
    expect(await toldOf(ledger)).toEqual(await toldOf(undisturbed))
    expect(await ledger.check()).toEqual([])
  })

  it.each([
    { place: 'in place', cut: 'before it came to the server', wasKept: false },
    { place: 'in place', cut: 'after it was done there', wasKept: true },
    { place: 'at the end', cut: 'before it came to the server', wasKept: false },
    { place: 'at the end', cut: 'after it was done there', wasKept: true },
  ] as const)(
    'is told to be unknown when nobody can be asked ($place, $cut), and may be asked for again',
    async (one) => {
      // Half a minute of trying to reach the server, in a moment; and as long as it takes once it can be reached.
      let times = 100
      const after = (ms: number, callback: () => void) => systemTimers.after(ms / times, callback)
      const world = { timers: { ...systemTimers, after } }
      await using ledger = await open(proxy.url, one.place, { world })
      const request = requestOf({ idempotency_key: 'once', job_id: 'x2' })
      const wasCut = cutOnce(one.cut, 'x2')
      const cutsQuestion = proxy.cutsQuestion
      proxy.cutsQuestion = (said) => wasCut() || cutsQuestion(said)
      const submitting = within(LONGEST_MS, 'submit', ledger.jobs.submit(request))
      await expect(submitting).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
      proxy.cutsQuestion = () => false
      times = 1
      const { job_id, duplicate } = await reached(() => ledger.jobs.submit({ ...request, job_id: 'x3' }))
      expect({ job_id, duplicate }).toEqual({ job_id: one.wasKept ? 'x2' : 'x3', duplicate: one.wasKept })
      expect((await ledger.jobs.list()).items).toHaveLength(1)
      expect(await ledger.check()).toEqual([])
    },
  )
})

/** A connection that had been tried for all that time may give up just when it is asked: whoever asks again has a new one. */
async function reached<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if ((error as { code?: string }).code !== 'SERVER_UNAVAILABLE' || tries === MOST_LINKS) throw error
    }
  }
}

/**
 * The head of the log that the function answers, or, in a transaction that was open before, the end of that. One that adds to the end
 * of the log answers nothing, and is a transaction by itself.
 */
function isEndOfWrite(said: string): boolean {
  if (/\{\d+(?:,\d+){5}\}/.test(said)) return !isWithin(said)
  return /COMMIT\0/.test(said) || said.includes(NOTHING)
}

/** A row with one column that is empty, and the end of a statement. */
const NOTHING = 'D\0\0\0\x0a\0\x01\0\0\0\0C'

/** The server says at the end of each answer whether a transaction is open. */
function isWithin(said: string): boolean {
  return said.endsWith('Z\0\0\0\x05T')
}
