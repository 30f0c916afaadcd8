import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InvalidInput } from '../../src/errors/input-errors.ts'
import * as errors from '../../src/errors/postgres-errors.ts'
import { WaybillError } from '../../src/errors/waybill-error.ts'
import { translated } from '../../src/store/postgres/errors.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations/migrations.ts'
import type { PostgresOptions } from '../../src/store/postgres/postgres-options.ts'
import { openPostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { newJob, setOf } from './sets.ts'

describe('what goes wrong with PostgreSQL', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await testServer()
  })

  afterAll(() => server.stop())

  const with_ = (change: (url: URL) => void) => {
    const url = new URL(server.url)
    change(url)
    return url.href
  }

  const failure = async (url: string, options: PostgresOptions = {}): Promise<WaybillError> => {
    const error = await openPostgresTables(url, realWorld, options).then(
      async (tables) => {
        await tables.close()
        throw new Error('it was opened')
      },
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(WaybillError)
    expect(error.next).not.toBe('')
    return error
  }

  it('says what is wrong when it is opened, and never the password', async () => {
    const wrong = await failure(with_((url) => Object.assign(url, { password: 'hunter2' })))
    expect(wrong).toBeInstanceOf(errors.LoginRefused)
    expect(JSON.stringify(wrong) + wrong.message).not.toContain('hunter2')
    expect(await failure(with_((url) => Object.assign(url, { pathname: '/nowhere' })))).toBeInstanceOf(
      errors.DatabaseMissing,
    )
    expect(await failure(with_((url) => Object.assign(url, { port: '1' })))).toBeInstanceOf(
      errors.ServerUnavailable,
    )
    expect(await failure('mysql://x')).toBeInstanceOf(InvalidInput)
    for (const option of ['listen', 'prepare']) {
      const maybe = with_((url) => url.searchParams.set(option, 'maybe'))
      expect(await failure(maybe)).toMatchObject({ field: option, next: `Give ?${option}=false.` })
    }
    expect(await failure(server.url, { schema: 'a"b' })).toBeInstanceOf(InvalidInput)
  })

  it('makes no ledger and changes no tables where that is not wanted', async () => {
    const schema = freshSchema()
    expect(await failure(server.url, { schema, create: false })).toBeInstanceOf(errors.NoSchema)
    await (await openPostgresTables(server.url, realWorld, { schema })).close()
    await (await openPostgresTables(server.url, realWorld, { schema, create: false, migrate: false })).close()
    const last = postgresMigrations(schema).length
    await say(server.url, `INSERT INTO "${schema}".migration VALUES ($1, 'later', now())`, [last + 1])
    expect(await failure(server.url, { schema })).toBeInstanceOf(errors.SchemaTooNew)
    await say(server.url, `DELETE FROM "${schema}".migration WHERE version >= $1`, [last])
    expect(await failure(server.url, { schema, migrate: false })).toBeInstanceOf(errors.SchemaTooOld)
  })

  it('is made once, however many open it at once', async () => {
    const schema = freshSchema()
    const all = await Promise.all(
      Array.from({ length: 4 }, () => openPostgresTables(server.url, realWorld, { schema })),
    )
    expect(await say(server.url, `SELECT version FROM "${schema}".migration ORDER BY 1`)).toHaveLength(
      postgresMigrations(schema).length,
    )
    await Promise.all(all.map((tables) => tables.close()))
  })

  it('says that a user may not write', async () => {
    const schema = freshSchema()
    const tables = await openPostgresTables(server.url, realWorld, { schema })
    const user = `reader_${schema}`
    await say(server.url, `CREATE USER ${user} PASSWORD 'r'`)
    await say(server.url, `GRANT USAGE ON SCHEMA "${schema}" TO ${user}`)
    await say(server.url, `GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO ${user}`)
    const url = with_((one) => Object.assign(one, { username: user, password: 'r' }))
    expect(await failure(url, { schema })).toBeInstanceOf(errors.NotPermitted)
    expect(await failure(url, { schema: freshSchema() })).toBeInstanceOf(errors.NotPermitted)
    const readOnly = with_((one) => one.searchParams.set('options', '-c default_transaction_read_only=on'))
    expect(await failure(readOnly, { schema })).toBeInstanceOf(errors.NotPermitted)
    await tables.write(setOf({ newJobs: [newJob('a')] }))
    await tables.close()
  })

  it('translates what cannot easily be had', () => {
    const said = (code: string) => translated({ code, severity: 'ERROR', message: 'm' }, 'postgres://x')
    expect(said('53100')).toBeInstanceOf(errors.ServerDiskFull)
    expect(said('57014')).toBeInstanceOf(errors.DatabaseFailed)
    expect(said('53300')).toBeInstanceOf(errors.ServerUnavailable)
    for (const make of [errors.OutcomeUnknown, errors.DatabaseFailed]) {
      expect(new make('postgres://x', new Error('c')).next).not.toBe('')
    }
  })
})
