import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Counted } from '../../src/store/postgres/counted.ts'
import { loadPg } from '../../src/store/postgres/load-pg.ts'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { WriteLane } from '../../src/store/postgres/write-lane.ts'
import { Conflict } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { type LossyProxy, startProxy } from './proxy.ts'
import { freshSchema, say, startServer, type TestServer } from './server.ts'
import { changedJob, chunk, loneSet, newJob, setOf } from './sets.ts'

const READY = { what: 'ready', queues: ['q1'], perGroup: 1 } as const

describe('a connection to PostgreSQL that is lost', () => {
  let server: TestServer
  let proxy: LossyProxy
  let tables: PostgresTables
  const schema = freshSchema()

  beforeAll(async () => {
    server = await startServer()
    proxy = await startProxy(server.url)
    tables = await openPostgresTables(proxy.url, realWorld, { schema })
    await tables.write(
      setOf({
        newJobs: [newJob('a')],
        ready: { adds: [{ queue: 'q1', tenant_id: 'default', group: 'g', rank: 1, job_id: 'a' }], drops: [] },
      }),
    )
  })

  afterAll(async () => {
    await tables.close()
    await proxy.close()
    await server.stop()
  })

  const versionOf = async (id: string) => {
    const rows = await say(
      server.url,
      `SELECT version::int AS version FROM "${schema}".job WHERE job_id = $1`,
      [id],
    )
    return rows[0]?.version
  }

  const killAll = () =>
    say(server.url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      'waybill',
    ])

  /** Cuts once, at the first that is said after what was asked. */
  const loseOne = (asked: string, answer: RegExp) => {
    let isAsked = false
    proxy.cutsQuestion = (said) => {
      isAsked ||= said.includes(asked)
      return false
    }
    proxy.cutsAnswer = (said) => {
      if (!isAsked || !answer.test(said.toString('latin1'))) return false
      proxy.cutsQuestion = () => false
      proxy.cutsAnswer = () => false
      return true
    }
  }

  it('is made again for whoever reads, writes or takes next', async () => {
    const { seq } = await tables.head()
    await killAll()
    expect((await tables.head()).seq).toBe(seq)
    const writing = tables.write(setOf({ newJobs: [newJob('b')], chunk: chunk('b') }))
    await writing.catch((error) => expect(error).toBeInstanceOf(Conflict))
    await killAll()
    const taken = await tables.take(READY)
    expect(taken.jobs).toHaveLength(1)
    await taken.release()
  })

  it('tells that a write was kept whose answer never came', async () => {
    loseOne('write', /D.{4}/s)
    const before = await tables.head()
    const { head } = await tables.write(setOf({ newJobs: [newJob('kept')], chunk: chunk('kept', 2) }))
    expect(head.seq).toBe(before.seq + 2)
    expect(await versionOf('kept')).toBe(1)
  })

  it('tells that a lone job was kept whose answer never came, and does not let it happen late', async () => {
    for (const id of ['lo-1', 'lo-2']) await tables.write(loneSet(id))
    loseOne('write_lone', /D.{4}/s)
    const before = await tables.head()
    const { head } = await tables.write(loneSet('lo-3'))
    expect(head.seq).toBe(before.seq + 3)
    expect(await versionOf('lo-3')).toBe(1)
    for (const id of ['lo-4', 'lo-5']) await tables.write(loneSet(id))
    await say(server.url, `UPDATE "${schema}".writer SET is_over = true`)
    await expect(tables.write(loneSet('lo-6'))).rejects.toThrow(Conflict)
    expect(await versionOf('lo-6')).toBeUndefined()
    for (let tries = 0; tries < 5; tries++) await tables.write(loneSet(`lo-7${tries}`)).catch(() => {})
    await tables.write(loneSet('lo-6'))
  })

  it('has a write decided again that never came to the server', async () => {
    let isCut = false
    proxy.cutsQuestion = (said) => {
      if (isCut || !said.includes('never-came')) return false
      isCut = true
      return true
    }
    const writing = tables.write(setOf({ newJobs: [newJob('never-came')] }))
    await expect(writing).rejects.toThrow(Conflict)
    expect(isCut).toBe(true)
    expect(await versionOf('never-came')).toBeUndefined()
    await tables.write(setOf({ newJobs: [newJob('never-came')] }))
  })

  it('tells that work was written whose commit was not heard of', async () => {
    const taken = await tables.take(READY)
    const from = taken.jobs[0]?.version ?? 0
    loseOne('COMMIT', /COMMIT/)
    await taken.write(setOf({ jobs: [changedJob('a', from)], chunk: chunk('a') }))
    await taken.release()
    expect(await versionOf('a')).toBe(from + 1)
  })

  it('gives work back that was taken on it', async () => {
    const taken = await tables.take(READY)
    const from = taken.jobs[0]?.version ?? 0
    await killAll()
    await expect(taken.write(setOf({ jobs: [changedJob('a', from)] }))).rejects.toThrow(Conflict)
    await taken.release()
    const again = await tables.take(READY)
    expect(again.jobs[0]?.version).toBe(from)
    await again.release()
  })

  it('does not let a write happen late of which somebody asked already', async () => {
    await tables.write(setOf({ newJobs: [newJob('in-time')] }))
    const writers = await say(server.url, `SELECT id FROM "${schema}".writer WHERE NOT is_over`)
    expect(writers.length).toBeGreaterThan(0)
    await say(server.url, `UPDATE "${schema}".writer SET is_over = true`)
    const late = newJob('late')
    await expect(tables.write(setOf({ newJobs: [late] }))).rejects.toThrow(Conflict)
    expect(await versionOf('late')).toBeUndefined()
    // The other connections find out as well, and then all is well again.
    for (let tries = 0; tries < 5; tries++) {
      await tables.write(setOf({ newJobs: [newJob(`later-${tries}`)] })).catch(() => {})
    }
    await tables.write(setOf({ newJobs: [late] }))
  })

  it('does not let the first write of a connection happen late either', async () => {
    const world = { ...realWorld, ids: { next: () => 'asked-about' } }
    const lane = new WriteLane({
      server: { pg: await loadPg(), url: server.url, address: 'here', world, prepares: true },
      schema: `"${schema}"`,
      process: 'p',
      isThere: Promise.resolve(),
      counted: new Counted(),
      onTail: async () => {},
    })
    // As whoever lost it leaves it: it had no row yet.
    await say(server.url, `INSERT INTO "${schema}".writer VALUES ('asked-about', 0, true, now())`)
    await expect(lane.write(setOf({ newJobs: [newJob('first')] }), null)).rejects.toThrow(Conflict)
    expect(await versionOf('first')).toBeUndefined()
    await lane.close()
  })

  it('is listened on again', async () => {
    const other = await openPostgresTables(server.url, realWorld, { schema, pollMs: 50 })
    let heard = 0
    let onHeard = () => {}
    const next = () => new Promise<void>((resolve) => (onHeard = resolve))
    other.onNews(() => {
      heard++
      onHeard()
    })
    const first = next()
    await tables.write(setOf({ isNews: true, chunk: chunk('a') }))
    await first
    const again = next()
    await killAll()
    // It says so itself, since something may have been missed meanwhile.
    await again
    expect(heard).toBeGreaterThan(1)
    const news = next()
    await tables.write(setOf({ isNews: true, chunk: chunk('a') })).catch(() => {})
    await tables.write(setOf({ isNews: true, chunk: chunk('a') }))
    await news
    await other.close()
  })
})
