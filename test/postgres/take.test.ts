import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { Conflict } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'
import { changedJob, newJob, setOf } from './sets.ts'

const T = 'default'

describe('taking work from PostgreSQL', () => {
  let server: TestServer
  let schema: string
  let one: PostgresTables
  let other: PostgresTables

  beforeAll(async () => {
    server = await testServer()
    schema = freshSchema()
    one = await openPostgresTables(server.url, realWorld, { schema })
    other = await openPostgresTables(server.url, realWorld, { schema })
    const keys = ['a1', 'a2', 'a3', 'b1', 'c1'].map((job_id, index) => ({
      queue: job_id.startsWith('c') ? 'q2' : 'q1',
      tenant_id: T,
      group: job_id.charAt(0),
      rank: 10 - index,
      job_id,
    }))
    await one.write(
      setOf({
        newJobs: keys.map(({ job_id }) => newJob(job_id)),
        ready: { adds: keys, drops: [] },
        due: { adds: keys.map(({ job_id, rank }) => ({ due_at: rank, tenant_id: T, job_id })), drops: [] },
      }),
    )
  })

  afterAll(async () => {
    await Promise.all([one.close(), other.close()])
    await server.stop()
  })

  const ready = (queues: readonly string[], perGroup: number, most?: number) =>
    ({ what: 'ready', queues, perGroup, most }) as const

  it('shows the heads of each group by rank, and at least one however few are wanted', async () => {
    const ids = async (queues: readonly string[], perGroup: number, most?: number) =>
      (await one.heads({ queues, perGroup, most })).map(({ job_id }) => job_id)
    expect(await ids(['q1'], 2)).toEqual(['a3', 'a2', 'b1'])
    expect(await ids(['q2', 'q1'], 9)).toEqual(['c1', 'a3', 'a2', 'a1', 'b1'])
    expect(await ids(['q1', 'q2'], 9, 2)).toEqual(['a3', 'b1', 'c1'])
    expect(await ids(['q3'], 9)).toEqual([])
    expect(await ids([], 9)).toEqual([])
  })

  it('shows nobody else what was taken, until it is given back', async () => {
    const mine = await one.take(ready(['q1'], 1))
    expect(mine.jobs.map(({ job_id }) => job_id)).toEqual(['a3', 'b1'])
    const theirs = await other.take(ready(['q1', 'q2'], 1))
    expect(theirs.jobs.map(({ job_id }) => job_id)).toEqual(['a2', 'c1'])
    await mine.release()
    await mine.release()
    await theirs.release()
    const again = await other.take(ready(['q1'], 1))
    expect(again.jobs.map(({ job_id }) => job_id)).toEqual(['a3', 'b1'])
    await again.release()
  })

  it('takes what is longest overdue, as much as is wanted', async () => {
    const mine = await one.take({ what: 'due', limit: 2, now: 9 })
    const theirs = await other.take({ what: 'due', limit: 10, now: 9 })
    expect(mine.jobs.map(({ job_id }) => job_id)).toEqual(['c1', 'b1'])
    expect(theirs.jobs.map(({ job_id }) => job_id)).toEqual(['a3', 'a2'])
    await Promise.all([mine.release(), theirs.release()])
  })

  it('writes what was decided on work and ends with it, also when somebody was faster', async () => {
    const drops = [{ queue: 'q2', tenant_id: T, group: 'c', rank: 6, job_id: 'c1' }]
    const taken = await one.take(ready(['q2'], 1))
    const set = setOf({ jobs: [changedJob('c1', 1)], ready: { adds: [], drops } })
    const wrong = setOf({ jobs: [changedJob('c1', 7)], ready: { adds: [], drops } })
    await expect(taken.write(wrong)).rejects.toThrow(Conflict)
    await taken.release()
    expect(await one.heads({ queues: ['q2'], perGroup: 1 })).toHaveLength(1)
    const again = await one.take(ready(['q2'], 1))
    await again.write(set)
    await again.release()
    expect(await other.heads({ queues: ['q2'], perGroup: 1 })).toEqual([])
  })

  it('lets others wait who write what was taken, and has them decide again', async () => {
    const taken = await one.take(ready(['q1'], 1))
    const refused = expect(other.write(setOf({ jobs: [changedJob('a3', 1)] }))).rejects.toThrow(Conflict)
    await taken.write(setOf({ jobs: [changedJob('a3', 1)] }))
    await refused
  })

  it('tells others that there is news, and not oneself', async () => {
    const heard: string[] = []
    const told = Promise.withResolvers<void>()
    one.onNews(() => heard.push('one'))
    other.onNews(() => {
      heard.push('other')
      told.resolve()
    })
    await one.write(setOf({ newJobs: [newJob('news')], isNews: true }))
    await told.promise
    // Once or more often.
    expect(new Set(heard)).toEqual(new Set(['other']))
  })

  it('tells others when it leaves some of what it took', async () => {
    const told = Promise.withResolvers<void>()
    const taken = await one.take(ready(['q1'], 2))
    expect(taken.jobs.length).toBeGreaterThan(1)
    other.onNews(told.resolve)
    await taken.write(setOf({ jobs: [changedJob('b1', 1)] }))
    await told.promise
  })
})
