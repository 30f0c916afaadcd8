import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelOf } from '../../src/store/postgres/migrations/migrations.ts'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { chunk, setOf } from './sets.ts'

describe('whoever writes to PostgreSQL', () => {
  let server: TestServer
  let schema: string
  let one: PostgresTables
  let stranger: pg.Client
  const payloads: string[] = []

  const open = () => openPostgresTables(server.url, realWorld, { schema })
  const write = () => one.write(setOf({ isNews: true, chunk: chunk('a') }))
  const listeners = async () =>
    (await say(server.url, `SELECT process, pid FROM "${schema}".listener ORDER BY process`)) as {
      process: string
      pid: number
    }[]
  /** How many were told of one write. Notifications of a transaction arrive before the answer to whatever is asked later. */
  const told = async () => {
    payloads.length = 0
    await write()
    await stranger.query('SELECT 1')
    return payloads.length
  }
  /** Until something is heard, whatever is done. */
  const heard = (tables: PostgresTables) => new Promise<void>((resolve) => tables.onNews(resolve))

  beforeAll(async () => {
    server = await testServer()
    schema = freshSchema()
    one = await open()
    stranger = new pg.Client({ connectionString: server.url })
    await stranger.connect()
    stranger.on('notification', ({ payload }) => payloads.push(payload ?? ''))
    await stranger.query(`LISTEN "${channelOf(schema)}"`)
  })

  afterAll(async () => {
    await one.close()
    await stranger.end()
    await server.stop()
  })

  it('tells nobody while no other process listens', async () => {
    expect(await listeners()).toHaveLength(1)
    expect(await told()).toBe(0)
  })

  it('tells another process from the moment on in which that has the ledger open, and until it closes it', async () => {
    const two = await open()
    const news = heard(two)
    expect(await told()).toBe(1)
    await news
    await two.close()
    expect(await told()).toBe(0)
  })

  it('tells one who listens alone of what another writes that does not listen', async () => {
    const quiet = await openPostgresTables(server.url, realWorld, { schema, listen: false })
    const news = heard(one)
    await quiet.write(setOf({ isNews: true, chunk: chunk('a') }))
    await news
    await quiet.close()
    expect(await listeners()).toHaveLength(1)
  })

  it('tells a process that is gone without a word until the next upkeep', async () => {
    await say(server.url, `SELECT "${schema}".listens('gone', true)`)
    expect(await told()).toBe(1)
    await one.maintain(null)
    expect(await told()).toBe(0)
    expect(await listeners()).toHaveLength(1)
  })

  it('forgets those who are gone when another one comes', async () => {
    await say(server.url, `SELECT "${schema}".listens('gone', true)`)
    const two = await open()
    expect((await listeners()).map(({ process }) => process)).not.toContain('gone')
    await two.close()
  })
})
