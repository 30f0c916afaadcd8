// Whoever follows the ledger goes by places in the log. A place that is given out early and committed late would be skipped
// by those who were further already: so places are given out behind a lock that is held until the commit. Here writers are
// held up in the middle, before that lock and behind it, while others write and followers follow.
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Ledger, openLedger, START } from 'waybill'
import { requestOf } from '../fixtures/live-ledger.ts'
import { within } from '../fixtures/within.ts'
import { Follower, wholeHistory } from './follower.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'

/** Nobody is held up for so long by somebody else's transaction. */
const SOON_MS = 5000
const GATE = 4711

const PROTOCOL = {
  protocol_id: 'test.v1',
  request_type: 'TEST',
  steps: [{ step_id: 'only', step_type: 'WORK', service: 'nobody', delivery: 'pull' }],
} as const

describe('the order of commits in PostgreSQL', () => {
  let server: TestServer
  let schema: string
  let ledgers: readonly Ledger[]

  beforeAll(async () => {
    server = await testServer()
  })

  afterAll(() => server.stop())

  beforeEach(async () => {
    schema = freshSchema()
    const all: Ledger[] = []
    for (let n = 0; n < 4; n++) {
      const options = { postgres: { schema }, tenant_id: 't1', inFlightLimit: 10_000, protocols: [PROTOCOL] }
      all.push(await openLedger(server.url, options))
    }
    ledgers = all
    return async () => {
      for (const ledger of all) await ledger.close()
    }
  })

  const nth = (n: number) => ledgers[n % ledgers.length] as Ledger

  const submit = (ledger: Ledger, job_id: string) =>
    within(SOON_MS, `submit ${job_id}`, ledger.jobs.submit(requestOf({ job_id })))

  /** Has the server call a function that waits at the gate, when a row is written where that is true. */
  async function holdUp(table: string, when: string, timing: string): Promise<void> {
    const trigger = timing.includes('DEFERRED') ? 'CONSTRAINT TRIGGER' : 'TRIGGER'
    await say(
      server.url,
      `CREATE FUNCTION "${schema}".wait_here() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF ${when} THEN PERFORM pg_advisory_xact_lock(${GATE}); END IF; RETURN NULL; END $$;
      CREATE ${trigger} held_up AFTER INSERT OR UPDATE ON "${schema}".${table} ${timing} FOR EACH ROW
      EXECUTE FUNCTION "${schema}".wait_here()`,
    )
  }

  /** Whoever comes to the gate waits until it is opened. */
  async function closeGate() {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(${GATE})`)
    const count = async () => {
      const text = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted`
      return ((await client.query(text)).rows[0] as { n: number }).n
    }
    return {
      /** Resolves when somebody stands there. */
      reached: async () => {
        const until = performance.now() + SOON_MS
        while ((await count()) === 0) expect(performance.now(), 'nobody came to the gate').toBeLessThan(until)
      },
      open: () => client.end(),
    }
  }

  async function mustSee(followers: readonly Follower[], from = 0): Promise<readonly number[]> {
    const whole = await wholeHistory(nth(0), from)
    for (const follower of followers) {
      await within(SOON_MS, 'following', follower.reached(whole.seqs.at(-1) as number))
      await follower.stop()
      expect(follower.seen.seqs).toEqual(whole.seqs)
      expect(follower.seen.digest).toBe(whole.digest)
    }
    return whole.seqs
  }

  const ofJob = async (job_id: string) => {
    const seqs: number[] = []
    for await (const { seq } of nth(0).jobs.history(job_id, 't1')) seqs.push(seq)
    return seqs
  }

  it('is the order of the log also when the first to write is the last to commit', async () => {
    await submit(nth(1), 'before')
    await holdUp('job', `NEW.job_id = 'held-up'`, '')
    const followers = ledgers.map((ledger) => new Follower(ledger))
    const gate = await closeGate()
    const late = submit(nth(0), 'held-up')
    await gate.reached()
    // It has written its job, and has the number of its part of the log. Nobody waits for it.
    for (let n = 0; n < 30; n++) await submit(nth(1 + (n % 3)), `other-${n}`)
    const { seq } = (await nth(1).audit.query({ direction: 'desc', limit: 1 })).items[0] as { seq: number }
    for (const follower of followers) await within(SOON_MS, 'following', follower.reached(seq))
    const fromHere = ledgers.map((ledger) => new Follower(ledger, { after: String(seq) }))
    await gate.open()
    await late
    const [first] = await ofJob('held-up')
    expect(first).toBe(seq + 1)
    await mustSee([...followers, ...ledgers.map((ledger) => new Follower(ledger, { after: START }))])
    await mustSee(fromHere, seq)
  })

  it('lets nobody see anything beyond a writer who has its place and is about to commit', async () => {
    await submit(nth(1), 'before')
    await holdUp('head', 'NEW.seq > OLD.seq', 'DEFERRABLE INITIALLY DEFERRED')
    const followers = ledgers.flatMap((ledger) => [
      new Follower(ledger),
      new Follower(ledger, { breaksAfter: 2 }),
    ])
    const { seq: before } = (await nth(1).audit.query({ direction: 'desc', limit: 1 })).items[0] as {
      seq: number
    }
    const gate = await closeGate()
    const writing = ledgers.map((ledger, n) => submit(ledger, `waiting-${n}`))
    await gate.reached()
    const { items } = await nth(2).audit.query({ after: String(before) })
    expect(items).toEqual([])
    await gate.open()
    await Promise.all(writing)
    await mustSee(followers)
  })

  it('does not wait for transactions of others, which become jobs when they are committed', async () => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('BEGIN')
    const { job_id } = await nth(0).jobs.submitIn(client, requestOf())
    const followers = ledgers.map((ledger) => new Follower(ledger))
    for (let n = 0; n < 30; n++) await submit(nth(n), `meanwhile-${n}`)
    const { seq } = (await nth(1).audit.query({ direction: 'desc', limit: 1 })).items[0] as { seq: number }
    for (const follower of followers) await within(SOON_MS, 'following', follower.reached(seq))
    expect(await nth(0).jobs.get(job_id, 't1')).toBeNull()
    await client.query('COMMIT')
    await client.end()
    await within(SOON_MS, 'admission', Promise.all(followers.map((follower) => follower.reached(seq + 1))))
    expect((await ofJob(job_id))[0]).toBe(seq + 1)
    await mustSee(followers)
  })

  it('is kept by writers who take their time, each another', async () => {
    await say(
      server.url,
      `CREATE FUNCTION "${schema}".take_time() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NULL; END $$;
      CREATE TRIGGER slow AFTER INSERT ON "${schema}".job FOR EACH STATEMENT EXECUTE FUNCTION "${schema}".take_time();
      CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON "${schema}".head DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      EXECUTE FUNCTION "${schema}".take_time()`,
    )
    const followers = ledgers.flatMap((ledger) => [
      new Follower(ledger),
      new Follower(ledger, { breaksAfter: 7 }),
    ])
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 20; n++) await submit(nth(writer), `writer-${writer}-${n}`)
    })
    await Promise.all(writers)
    const seqs = await mustSee(followers)
    expect(seqs.length).toBeGreaterThanOrEqual(160)
  })
})
