import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLedger } from 'waybill'
import { appeared, PROTOCOL, REQUEST } from './requests.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'

/** What docs/postgres.md says that a worker needs. */
const WORKER_RIGHTS = (schema: string, user: string) => `
  GRANT USAGE ON SCHEMA ${schema} TO ${user};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${user};`

/** And what somebody needs who only submits in transactions of their own. */
const SUBMITTER_RIGHTS = (schema: string, user: string) => `
  GRANT USAGE ON SCHEMA ${schema} TO ${user};
  GRANT INSERT ON ${schema}.inbox TO ${user};`

describe('the rights that are needed', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await testServer()
  })

  afterAll(() => server.stop())

  const newUser = async (schema: string, rights: string) => {
    const user = `u_${schema}`
    await say(server.url, `CREATE USER ${user} PASSWORD 'u'; ${rights.replaceAll('USER', user)}`)
    return Object.assign(new URL(server.url), { username: user, password: 'u' }).href
  }

  it('makes the tables in a schema that somebody else made for it', async () => {
    // A database user often may not make schemas and is given one. CREATE SCHEMA IF NOT EXISTS asks for the right to make
    // schemas before it sees that there is nothing to make: the ledger could not be made there.
    const schema = freshSchema()
    const url = await newUser(schema, `CREATE SCHEMA ${schema} AUTHORIZATION USER`)
    await using ledger = await openLedger(url, { postgres: { schema } })
    await ledger.documents.updateState('a', 'fetching')
    expect(await ledger.documents.getState('a')).toBe('fetching')
  })

  it('works without owning anything, also in a month for which nobody made a table', async () => {
    // Every month a table is made for it three months ahead. Whoever was not the owner of the log could not make it, and
    // from the first of a month on could not open the ledger at all.
    const schema = freshSchema()
    await (await openLedger(server.url, { postgres: { schema } })).close()
    const url = await newUser(schema, WORKER_RIGHTS(schema, 'USER'))
    const tables = await say(
      server.url,
      `SELECT relname AS name FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid
       WHERE i.inhparent = '${schema}.log'::regclass AND relname <> 'log_default'`,
    )
    expect(tables).toHaveLength(4)
    for (const { name } of tables) await say(server.url, `DROP TABLE ${schema}.${name}`)
    await using ledger = await openLedger(url, { postgres: { schema }, protocols: [PROTOCOL] })
    await using _worker = ledger.work({ a: async () => 'done' })
    const job = await ledger.jobs.submit(REQUEST)
    expect(await job.result()).toBe('done')
    await ledger.compact()
    expect(await ledger.check()).toEqual([])
  })

  it('takes requests from whoever may only submit', async () => {
    const schema = freshSchema()
    await using ledger = await openLedger(server.url, { postgres: { schema }, protocols: [PROTOCOL] })
    await using _worker = ledger.work({ a: async () => 'done' })
    const url = await newUser(schema, SUBMITTER_RIGHTS(schema, 'USER'))
    const { job_id } = await ledger.jobs.submitIn((text, values) => say(url, text, values), REQUEST)
    await appeared(ledger, job_id)
    expect(await ledger.jobs.wait(job_id, { timeout: '20s' })).toBe('done')
    await expect(say(url, `SELECT * FROM ${schema}.jobs`)).rejects.toThrow('permission denied')
  })
})
