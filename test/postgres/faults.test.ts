// Connections are ended and the server crashes, again and again, while a ledger is at work. Whatever is told to callers has
// to be so when all is quiet: nothing is lost, nothing happens twice, and nobody waits for ever.
import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { openLedger } from 'waybill'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { numberFrom } from '../crash/random/seeds.ts'
import { within } from '../fixtures/within.ts'
import { BusyLedger } from './busy-ledger.ts'
import { wholeHistory } from './follower.ts'
import { freshSchema, type OwnServer, say, startServer } from './server.ts'

const FAULTS = numberFrom('WAYBILL_RUNS') ?? 12
const SEED = numberFrom('WAYBILL_SEED') ?? randomInt(2 ** 31)

/** Every so many-th fault is a crash of the whole server. */
const CRASH_EVERY = 10

/** Things that happen between two faults, at most. */
const MOST_BETWEEN = 40

const TIMEOUT_MS = 60_000 + FAULTS * 1000
const LONGEST_CATCHING_UP_MS = 20_000

const KILLS = {
  one: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waybill'
    ORDER BY md5(pid || $1::text) LIMIT 1`,
  'one at work': `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waybill'
    ORDER BY state IS DISTINCT FROM 'active', state IS DISTINCT FROM 'idle in transaction', md5(pid || $1::text) LIMIT 1`,
  'one in a transaction': `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waybill'
    ORDER BY xact_start IS NULL, md5(pid || $1::text) LIMIT 1`,
  all: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waybill' OR $1::text IS NULL`,
} as const

const KINDS = Object.keys(KILLS) as readonly (keyof typeof KILLS)[]

/** Does something bad, and answers what. */
async function trouble(server: OwnServer, nth: number, random: SeededRandom): Promise<string> {
  if (nth % CRASH_EVERY === 0) {
    await server.crash()
    return 'crash'
  }
  const kind = KINDS[Math.floor(random.next() * KINDS.length)] as (typeof KINDS)[number]
  await say(server.url, KILLS[kind], [String(random.next())])
  return kind
}

async function mustAgree(url: string, schema: string, busy: BusyLedger): Promise<void> {
  await using ledger = await openLedger(url, { postgres: { schema } })
  const succeeded = new Map<string, number>()
  for await (const { kind, id, event, new_state } of ledger.audit.records()) {
    if (event !== 'moved' || new_state !== 'SUCCEEDED') continue
    succeeded.set(`${kind} ${id}`, (succeeded.get(`${kind} ${id}`) ?? 0) + 1)
  }
  const jobOf = new Map<string, string>()
  for (let after: string | undefined; ; ) {
    const page = await ledger.jobs.list({ limit: 1000, ...(after === undefined ? {} : { after }) })
    for (const { job_id, state, idempotency_key } of page.items) {
      expect(state).toBe('SUCCEEDED')
      expect(succeeded.get(`job ${job_id}`)).toBe(1)
      expect(jobOf.has(idempotency_key as string), 'a request has one job').toBe(false)
      jobOf.set(idempotency_key as string, job_id)
    }
    if (page.next === null) break
    after = page.next
  }
  for (const [key, job_id] of busy.answered) expect(jobOf.get(key)).toBe(job_id)
  for (const key of busy.promised) expect(jobOf.has(key), key).toBe(true)
  expect(jobOf.size).toBe(busy.answered.size + busy.promised.size)
  for (const [attempt, times] of busy.attempts) expect(times, attempt).toBe(1)
  for (const [job_id, result] of busy.results) {
    const { steps = [] } = (await ledger.jobs.show(job_id)) ?? {}
    for (const { step_id, attempt_no, output } of steps) {
      expect(succeeded.get(`step ${job_id}/${step_id}`)).toBe(1)
      expect(output).toBe(`${job_id}/${step_id} ${attempt_no}`)
      expect(busy.attempts.get(output as string)).toBe(1)
    }
    expect(result).toBe(steps.at(-1)?.output)
  }
  expect(await ledger.check()).toEqual([])
}

async function mustHaveSeenAll(busy: BusyLedger): Promise<void> {
  const whole = await wholeHistory(busy.ledgers[0] as (typeof busy.ledgers)[number])
  const last = whole.seqs.at(-1) as number
  for (const follower of busy.followers) {
    await within(LONGEST_CATCHING_UP_MS, 'following', follower.reached(last))
    expect(follower.seen.seqs).toEqual(whole.seqs)
    expect(follower.seen.digest).toBe(whole.digest)
  }
}

async function play(): Promise<void> {
  const random = new SeededRandom(SEED)
  const server = await startServer({ isDurable: true })
  const schema = freshSchema()
  try {
    const busy = await BusyLedger.open({ url: server.url, schema, random }, 2)
    const done: Record<string, number> = {}
    for (let nth = 1; nth <= FAULTS && busy.problems.length === 0; nth++) {
      await busy.happens(1 + Math.floor(random.next() * MOST_BETWEEN))
      const what = await trouble(server, nth, random)
      done[what] = (done[what] ?? 0) + 1
    }
    await busy.calm()
    if (busy.problems.length > 0) throw busy.problems[0]
    for (const ledger of busy.ledgers) await ledger.idle()
    await mustHaveSeenAll(busy)
    await busy.close()
    await mustAgree(server.url, schema, busy)
    expect(busy.problems).toEqual([])
    expect(Object.values(done).reduce((sum, count) => sum + count)).toBe(FAULTS)
    expect(busy.answered.size).toBeGreaterThan(FAULTS)
  } finally {
    await server.stop()
  }
}

it(`nothing is lost and nothing happens twice in ${FAULTS} faults`, { timeout: TIMEOUT_MS }, async () => {
  await play().catch((error) => {
    throw new Error(`${error.message}\n\nPlay it again with WAYBILL_SEED=${SEED} WAYBILL_RUNS=${FAULTS}`, {
      cause: error,
    })
  })
})
