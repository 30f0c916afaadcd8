// Requests in transactions of the caller's own.
import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, openLedger, Unsupported } from 'waybill'
import { appeared, PROTOCOL, REQUEST } from './requests.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'

/** Drizzle takes no text with values beside it: they are put where the text has $1 and so on. */
function withValues(text: string, values: unknown[]): SQL {
  const parts = text.split(/\$\d+/).map((part) => sql.raw(part))
  return sql.join(parts.flatMap((part, n) => (n < values.length ? [part, sql.param(values[n])] : [part])))
}

describe('requests in a transaction of the caller', () => {
  let server: TestServer
  let pool: pg.Pool
  let ledger: Ledger
  const schema = freshSchema()
  const orders = `orders_${schema}`

  const open = (more: object = {}) =>
    openLedger(server.url, { protocols: [PROTOCOL], postgres: { schema }, ...more })

  /** Runs work in a transaction on a connection of its own, and ends it as it is told. */
  const within = async (end: 'COMMIT' | 'ROLLBACK', work: (client: pg.PoolClient) => Promise<void>) => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await work(client)
      await client.query(end)
    } finally {
      client.release()
    }
  }

  const hasOrder = async (id: string) =>
    (await say(server.url, `SELECT 1 FROM ${orders} WHERE id = $1`, [id])).length > 0

  beforeAll(async () => {
    server = await testServer()
    pool = new pg.Pool({ connectionString: server.url, max: 60 })
    // The pool says that it has ended before its connections have: those hear that the server stops.
    pool.on('error', () => {})
    await say(server.url, `CREATE TABLE ${orders} (id text PRIMARY KEY)`)
    ledger = await open()
  })

  afterAll(async () => {
    await ledger.close()
    await pool.end()
    await server.stop()
  })

  it('are there when it is committed, with a client and with a client of a pool', async () => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('BEGIN')
    await client.query(`INSERT INTO ${orders} VALUES ('client')`)
    const first = await ledger.jobs.submitIn(client, REQUEST, { reason: 'paid' })
    expect(await ledger.jobs.get(first.job_id)).toBeNull()
    await client.query('COMMIT')
    await client.end()
    await appeared(ledger, first.job_id)
    expect(await ledger.jobs.get(first.job_id)).toMatchObject({ state: 'QUEUED' })
    let second = ''
    await within('COMMIT', async (one) => {
      await one.query(`INSERT INTO ${orders} VALUES ('pool')`)
      second = (await ledger.jobs.submitIn(one, { ...REQUEST, payload: { n: 2 } })).job_id
    })
    await appeared(ledger, second)
    expect(await hasOrder('pool')).toBe(true)
  })

  it('never are when it is rolled back', async () => {
    let never = ''
    let later = ''
    await within('ROLLBACK', async (client) => {
      never = (await ledger.jobs.submitIn(client, { ...REQUEST, payload: { n: 'never' } })).job_id
    })
    await within('COMMIT', async (client) => {
      later = (await ledger.jobs.submitIn(client, { ...REQUEST, payload: { n: 'later' } })).job_id
    })
    await appeared(ledger, later)
    expect(await ledger.jobs.get(never)).toBeNull()
    expect(await say(server.url, `SELECT * FROM "${schema}".inbox WHERE answer IS NULL`)).toEqual([])
  })

  it('can be made with Drizzle', async () => {
    const db = drizzle(pool)
    const submit = (n: string, isKept: boolean) => {
      let job_id = ''
      return db
        .transaction(async (tx) => {
          await tx.execute(`INSERT INTO ${orders} VALUES ('drizzle ${n}')`)
          const run = (text: string, values: unknown[]) => tx.execute(withValues(text, values))
          job_id = (await ledger.jobs.submitIn(run, { ...REQUEST, payload: { drizzle: n } })).job_id
          if (!isKept) tx.rollback()
        })
        .then(
          () => job_id,
          () => job_id,
        )
    }
    const never = await submit('never', false)
    await appeared(ledger, await submit('kept', true))
    expect(await ledger.jobs.get(never)).toBeNull()
    expect([await hasOrder('drizzle kept'), await hasOrder('drizzle never')]).toEqual([true, false])
  })

  it('can be made with Kysely', async () => {
    const db = new Kysely<Record<string, { id: string }>>({ dialect: new PostgresDialect({ pool }) })
    const submit = (n: string, isKept: boolean) => {
      let job_id = ''
      return db
        .transaction()
        .execute(async (trx) => {
          await trx
            .insertInto(orders)
            .values({ id: `kysely ${n}` })
            .execute()
          const run = (text: string, values: unknown[]) => trx.executeQuery(CompiledQuery.raw(text, values))
          job_id = (await ledger.jobs.submitIn(run, { ...REQUEST, payload: { kysely: n } })).job_id
          if (!isKept) throw new Error('no')
        })
        .then(
          () => job_id,
          () => job_id,
        )
    }
    const never = await submit('never', false)
    await appeared(ledger, await submit('kept', true))
    expect(await ledger.jobs.get(never)).toBeNull()
    expect([await hasOrder('kysely kept'), await hasOrder('kysely never')]).toEqual([true, false])
  })

  it('are taken in by others when whoever made them is gone', async () => {
    const schemaOfTwo = freshSchema()
    const gone = await open({ postgres: { schema: schemaOfTwo } })
    let job_id = ''
    await within('COMMIT', async (client) => {
      job_id = (await gone.jobs.submitIn(client, REQUEST)).job_id
      await gone.close()
    })
    await using other = await open({ postgres: { schema: schemaOfTwo } })
    expect(await other.jobs.get(job_id)).toBeNull()
    await using _time = other.keepTime()
    await appeared(other, job_id)
    expect(await other.jobs.get(job_id)).toMatchObject({ state: 'QUEUED' })
  })

  it('are turned down with a reason when they cannot be admitted', async () => {
    const own = freshSchema()
    const strict = { postgres: { schema: own }, inFlightLimit: 2, strictIdempotency: true }
    await using limited = await open(strict)
    const submitIn = async (more: object) => {
      let job_id = ''
      await within('COMMIT', async (client) => {
        job_id = (await limited.jobs.submitIn(client, { ...REQUEST, ...more })).job_id
      })
      return job_id
    }
    const kept = await submitIn({ idempotency_key: 'k', payload: { n: 1 } })
    const unknown = await submitIn({ payload: { n: 2 }, depends_on: ['no-such-job'] })
    const same = await submitIn({ idempotency_key: 'k', payload: { n: 1 } })
    const clash = await submitIn({ idempotency_key: 'k', payload: { n: 'other' } })
    const second = await submitIn({ payload: { n: 4 } })
    const tooMany = await submitIn({ payload: { n: 5 } })
    // They are decided on one after the other: when this one is there, the others were.
    await appeared(limited, kept, second, await submitIn({ tenant_id: 'another' }))
    const all = await limited.jobs.turnedDown()
    expect(all.map(({ job_id, duplicate_of, refusal }) => [job_id, duplicate_of, refusal?.code])).toEqual([
      [tooMany, null, 'IN_FLIGHT_LIMIT'],
      [clash, null, 'IDEMPOTENCY_CONFLICT'],
      [same, kept, undefined],
      [unknown, null, 'DEPENDENCY_UNKNOWN'],
    ])
    expect(all[0]).toMatchObject({ tenant_id: 'default', request_type: 'A', created_at: expect.any(String) })
    // What can be seen from the request itself is refused at once, and the transaction is still good.
    await within('COMMIT', async (client) => {
      const wrong = { ...REQUEST, request_type: 'NONE' }
      await expect(limited.jobs.submitIn(client, wrong)).rejects.toThrow('NONE')
      await client.query('SELECT 1')
    })
  })

  it('come out whole when 50 transactions make them at once', async () => {
    const jobs: { [end in 'COMMIT' | 'ROLLBACK']: string[] } = { COMMIT: [], ROLLBACK: [] }
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const end = n % 5 === 0 ? 'ROLLBACK' : 'COMMIT'
        return within(end, async (client) => {
          await client.query(`INSERT INTO ${orders} VALUES ($1)`, [`many ${n}`])
          jobs[end].push((await ledger.jobs.submitIn(client, { ...REQUEST, payload: { many: n } })).job_id)
        })
      }),
    )
    await appeared(ledger, ...jobs.COMMIT)
    expect(jobs.COMMIT).toHaveLength(40)
    for (const job_id of jobs.ROLLBACK) expect(await ledger.jobs.get(job_id)).toBeNull()
    expect(await ledger.check()).toEqual([])
  })

  it('do not hold up others while their transaction is open', async () => {
    let slow = ''
    await within('COMMIT', async (client) => {
      slow = (await ledger.jobs.submitIn(client, { ...REQUEST, payload: { is: 'slow' } })).job_id
      // Everything of this happens while that one is open.
      let quick = ''
      await within('COMMIT', async (other) => {
        quick = (await ledger.jobs.submitIn(other, { ...REQUEST, payload: { is: 'quick' } })).job_id
      })
      await appeared(ledger, quick)
      const plain = await ledger.jobs.submit({ ...REQUEST, payload: { is: 'plain' } })
      expect(await ledger.jobs.get(plain.job_id)).toMatchObject({ state: 'QUEUED' })
      const [work] = await ledger.jobs.claim({ queues: ['a'], limit: 1, worker: 'ada' })
      expect(work).toBeDefined()
      expect(await ledger.jobs.get(slow)).toBeNull()
    })
    await appeared(ledger, slow)
  })

  it('are refused by engines that are not in the database of the caller', async () => {
    await using memory = await openLedger('memory:', { protocols: [PROTOCOL] })
    await expect(memory.jobs.submitIn(pool, REQUEST)).rejects.toThrow(Unsupported)
    await expect(memory.jobs.turnedDown()).rejects.toMatchObject({
      next: expect.stringContaining('PostgreSQL'),
    })
  })
})
