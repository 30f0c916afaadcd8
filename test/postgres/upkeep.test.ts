import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { realWorld, type World } from '../../src/world/world.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { chunk, newJob, setOf } from './sets.ts'

const EVERYTHING = { tags: [], from: undefined, before: undefined, seq: 0, isDescending: false, limit: 100 }

describe('the upkeep of PostgreSQL', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await testServer()
  })

  afterAll(() => server.stop())

  it('removes history from its beginning: whole months at once, and the rest row by row', async () => {
    const schema = freshSchema()
    let now = Date.UTC(2026, 0, 15)
    const world: World = { ...realWorld, clock: { now: () => now } }
    const tables = await openPostgresTables(server.url, world, { schema })
    const partitions = async () => {
      const text = `SELECT relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = '"${schema}".log'::regclass ORDER BY 1`
      return (await say(server.url, text)).map(({ relname }) => relname)
    }
    for (const month of [0, 0, 1, 2]) {
      now = Date.UTC(2026, month, 15)
      await tables.write(
        setOf({
          newJobs: [newJob(`${now}-${Math.random()}`)],
          chunk: chunk('x', 2, { first_at: now, last_at: now }),
          at: now,
        }),
      )
    }
    expect(await partitions()).toEqual([
      'log_202601',
      'log_202602',
      'log_202603',
      'log_202604',
      'log_default',
    ])
    expect(await tables.maintain(null)).toBe(0)
    expect(await partitions()).toContain('log_202606')
    // The first month is over as a whole; of the second nothing is.
    expect(await tables.maintain(Date.UTC(2026, 1, 10))).toBe(4)
    expect(await tables.maintain(Date.UTC(2026, 1, 10))).toBe(0)
    expect(await partitions()).not.toContain('log_202601')
    expect(await tables.head()).toMatchObject({ seq: 8, records: 4, removed: 4 })
    expect((await tables.chunks(EVERYTHING)).map(({ first_seq }) => first_seq)).toEqual([5, 7])
    expect(await tables.maintain(now + 1)).toBe(4)
    expect(await tables.chunks(EVERYTHING)).toEqual([])
    const written = await tables.write(setOf({ chunk: chunk('x', 1), at: now }))
    expect(written.head).toMatchObject({ seq: 9, records: 1, removed: 8 })
    await tables.close()
  })

  it('keeps what falls into no month', async () => {
    const schema = freshSchema()
    const tables = await openPostgresTables(server.url, realWorld, { schema })
    await tables.write(setOf({ chunk: chunk('x', 1), at: 5000 }))
    expect(await tables.chunks(EVERYTHING)).toHaveLength(1)
    expect(await tables.maintain(null)).toBe(0)
    await tables.close()
  })
})
