// An answer is lost, of any request of whatever a caller asks for: the connection is cut before the service heard, or after it had
// done it, or nothing more is ever heard of it. The caller cannot tell one from the other; the ledger can, by reading. So
// everything is answered as if nothing had happened, and happens once.
import { randomInt } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { systemTimers, type Timers } from '../../src/world/timers.ts'
import { isLong } from '../crash/random/seeds.ts'
import { ACTING, ACTS, type Act, toldOf } from '../fixtures/acts.ts'
import { requestOf } from '../fixtures/live-ledger.ts'
import { within } from '../fixtures/within.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'
import { type Fate, startProxy, type TablesProxy } from './proxy.ts'

const LONGEST_MS = 20_000
const REQUEST_MS = 15_000
const PATIENCE_MS = 60_000
const MOST_REQUESTS = 50
/** Each of them for each request where there is time; one of them elsewhere. */
const FATES = ['dropBefore', 'dropAfter', 'swallow'] as const satisfies readonly Fate[]
/** Before something is tried again. */
const HURRY = 50

let proxy: TablesProxy
const prefixes: string[] = []
const underWay = new Set<() => void>()

/** A request has as long as it takes until a test says that its time is up. */
const timers: Timers = {
  ...systemTimers,
  after: (ms, callback) => {
    if (ms !== REQUEST_MS) return systemTimers.after(ms / HURRY, callback)
    underWay.add(callback)
    return { cancel: () => void underWay.delete(callback) }
  },
}

beforeAll(async () => {
  proxy = await startProxy(await testTables())
  proxy.onSwallowed = () => {
    for (const callback of underWay) callback()
  }
})

afterEach(() => {
  proxy.decide = () => 'pass'
  proxy.isDown = false
})

afterAll(async () => {
  await proxy.stop()
  await dropTables(...prefixes)
})

async function open(patienceMs = PATIENCE_MS): Promise<Ledger> {
  const prefix = freshPrefix()
  prefixes.push(prefix)
  const azureTables = { requestTimeoutMs: REQUEST_MS, patienceMs }
  return openLedger(proxy.address(prefix), { ...ACTING, azureTables, world: { timers } })
}

/** The nth request from now on; answers whether it came. */
function once(nth: number, fate: Fate): () => boolean {
  const before = proxy.count
  proxy.decide = (n) => (n === before + nth ? fate : 'pass')
  return () => proxy.count >= before + nth
}

describe.each(Object.keys(ACTS))('%s', (what) => {
  const { prepare, run } = ACTS[what] as Act

  it.each(isLong ? FATES : ['something by chance'])(
    'is done once, whichever request it is: %s',
    async (given) => {
      await using ledger = await open()
      const expected: string[] = []
      const answers: unknown[] = []
      for (let nth = 0; nth < MOST_REQUESTS; nth++) {
        const id = `x${nth}`
        const before = await toldOf(ledger)
        const made = await prepare?.(ledger, id)
        const fate = FATES.find((one) => one === given) ?? (FATES[randomInt(FATES.length)] as Fate)
        const isDone = once(nth, fate)
        const answer = await within(LONGEST_MS, `${what} ${nth}`, run(ledger, id, made))
        const isOver = nth > 0 && !isDone()
        proxy.decide = () => 'pass'
        const rename = (text: unknown) => JSON.stringify(text).replaceAll(id, 'x')
        const told = (await toldOf(ledger)).slice(before.length).map(rename)
        if (nth === 0) expected.push(...told)
        answers.push(rename(answer))
        expect(told, `${fate} ${nth}`).toEqual(expected)
        if (isOver) break
        expect(nth).toBeLessThan(MOST_REQUESTS - 1)
      }
      expect(new Set(answers).size).toBe(1)
      expect(answers.length).toBeGreaterThan(3)
      expect(await ledger.check()).toEqual([])
    },
  )
})

describe('nobody can be asked any more', () => {
  const SHORT_MS = 1000

  it.each([
    { fate: 'dropBefore', wasKept: false },
    { fate: 'dropAfter', wasKept: true },
  ] as const)('and so it is not known ($fate), and may be asked for again', async ({ fate, wasKept }) => {
    await using ledger = await open(SHORT_MS)
    const request = requestOf({ idempotency_key: 'once', job_id: 'y1' })
    await ledger.jobs.submit(requestOf())
    // The row that decides is in that table.
    const table = `${prefixes.at(-1)}Steps`
    proxy.decide = (_, { method, path, body }) => {
      if (method === 'GET' || !(path + body).includes(table)) return 'pass'
      proxy.decide = () => 'dropBefore'
      return fate
    }
    const submitting = within(LONGEST_MS, 'submit', ledger.jobs.submit(request))
    await expect(submitting).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    proxy.decide = () => 'pass'
    const { job_id, duplicate } = await ledger.jobs.submit({ ...request, job_id: 'y2' })
    expect({ job_id, duplicate }).toEqual({ job_id: wasKept ? 'y1' : 'y2', duplicate: wasKept })
    expect((await ledger.jobs.list()).items).toHaveLength(2)
    expect(await ledger.check()).toEqual([])
  })
})
