import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  changedJob,
  chunkOf,
  document,
  entry,
  findOf,
  newJob,
  setOf,
  T0,
} from '../../../test/tables/sample-set.ts'
import type { StepState } from '../../core/machines/step.ts'
import { toIso } from '../../core/time.ts'
import { realWorld } from '../../world/world.ts'
import type { ChunkSelect } from '../tables/log-parts.ts'
import type { Find } from '../tables/tables.ts'
import { Connection } from './connection.ts'
import { openSqliteTables } from './open-sqlite.ts'
import type { SqliteTables } from './sqlite-tables.ts'

let folder: string
let tables: SqliteTables

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-sqlite-'))
  tables = await openSqliteTables(join(folder, 'ledger.db'), realWorld)
})

afterEach(async () => {
  await tables.close()
  await rm(folder, { recursive: true, force: true })
})

const ended = (at: number) => ({ state: 'SUCCEEDED', is_ended: true, changed_at: at }) as const
const place = (id: string, at = 0, tenant_id = 't') => ({ at, tenant_id, id })

describe('finding jobs and records', () => {
  beforeEach(async () => {
    const newJobs = [
      newJob('a', { changed_at: T0 + 3, doc_id: 'd' }),
      newJob('b', ended(T0 + 1)),
      newJob('c', { changed_at: T0 + 2 }),
      newJob('d', { ...ended(T0 + 2), state: 'CANCELLED' }),
      newJob('a', { tenant_id: 'u', changed_at: T0 }),
    ]
    const count = { kind: 'job', state: 'QUEUED' } as const
    const counts = [
      { ...count, tenant_id: 't', n: 4 },
      { ...count, tenant_id: 'u', n: 1 },
    ]
    const records = [document('x', 0), document('y', 0, { state: 'failed' })]
    await tables.write(setOf({ newJobs, records, counts }))
  })

  const jobs = async (parts: Partial<Find>) =>
    (await tables.findJobs(findOf(parts))).map(({ tenant_id, job_id }) => `${tenant_id}:${job_id}`).join(' ')

  it('orders, filters and pages', async () => {
    expect(await jobs({})).toBe('t:a t:b t:c t:d u:a')
    expect(await jobs({ isDescending: true, limit: 2 })).toBe('u:a t:d')
    expect(await jobs({ after: place('c') })).toBe('t:d u:a')
    expect(await jobs({ after: place('c'), tenant_id: 't', isDescending: true })).toBe('t:b t:a')
    expect(await jobs({ order: 'changed' })).toBe('u:a t:b t:c t:d t:a')
    expect(await jobs({ order: 'changed', after: place('c', T0 + 2) })).toBe('t:d t:a')
    expect(await jobs({ order: 'changed', isDescending: true, limit: 2 })).toBe('t:a t:d')
    expect(await jobs({ changedFrom: T0 + 1, changedBefore: T0 + 3 })).toBe('t:b t:c t:d')
  })

  it('filters by what a job has, and finds nothing by what it has not', async () => {
    expect(await jobs({ where: { state: 'QUEUED' } })).toBe('t:a t:c u:a')
    expect(await jobs({ where: { state: ['SUCCEEDED', 'CANCELLED'] } })).toBe('t:b t:d')
    expect(await jobs({ where: { state: ['SUCCEEDED', 'QUEUED'] } })).toBe('t:a t:b t:c u:a')
    expect(await jobs({ where: { state: ['SUCCEEDED', 'QUEUED'] }, order: 'changed' })).toBe(
      'u:a t:b t:c t:a',
    )
    expect(await jobs({ where: { state: [] } })).toBe('')
    expect(await jobs({ where: { doc_id: 'd', state: undefined } })).toBe('t:a')
    expect(await jobs({ where: { service: 'x' } })).toBe('')
  })

  it('moves a job that ends from one index to the other', async () => {
    await tables.write(setOf({ jobs: [changedJob('a', 1, { ...ended(T0 + 9), open_rows: 0 })] }))
    expect(await jobs({ where: { state: 'SUCCEEDED' }, order: 'changed' })).toBe('t:b t:a')
    expect(await jobs({ where: { state: 'QUEUED' } })).toBe('t:c u:a')
  })

  it('finds records', async () => {
    const ids = async (parts: Partial<Find>) =>
      (await tables.findRecords('document', findOf(parts))).map(({ id }) => id).join(' ')
    expect(await ids({})).toBe('x y')
    expect(await ids({ order: 'changed', isDescending: true })).toBe('y x')
    expect(await ids({ where: { state: 'failed' } })).toBe('y')
    expect(await ids({ where: { adapter: ['a', 'b'], doc_id: 'x' } })).toBe('x')
    expect(await ids({ where: { queue: 'x' } })).toBe('')
    expect(await tables.findRecords('run', findOf())).toEqual([])
  })
})

describe('finding steps', () => {
  const ids = async (parts: Partial<Find>) =>
    (await tables.findSteps(findOf(parts))).map(
      ({ job, step_index }) => `${job.job_id}/${JSON.parse(job.fixed).steps[step_index].step_id}`,
    )

  it('has them in the order of their own ids, page by page, both ways', async () => {
    const names = ['a', 'a!', 'a-b', 'a/x', 'a0', 'a-', 'b', 'b-1', 'b-10', 'b-1-2']
    const steps = [{ step_id: 'y' }, { step_id: 'x' }]
    await tables.write(
      setOf({
        newJobs: names.map((name) => newJob(name, {}, steps)),
        counts: [{ tenant_id: 't', kind: 'job', state: 'QUEUED', n: names.length }],
      }),
    )
    const all = names.flatMap((name) => [`${name}/x`, `${name}/y`]).sort()
    for (const isDescending of [false, true]) {
      const wanted = isDescending ? all.toReversed() : all
      expect(await ids({ isDescending })).toEqual(wanted)
      for (const tenant_id of ['t', undefined]) {
        const paged: string[] = []
        for (;;) {
          const last = paged.at(-1)
          const page = await ids({ isDescending, tenant_id, limit: 3, after: last ? place(last) : null })
          paged.push(...page)
          if (page.length < 3) break
        }
        expect(paged).toEqual(wanted)
      }
    }
  })

  it('goes by their own state, time and service', async () => {
    const moved = (state: StepState, at: number) => [{ step_id: 'one', state, at }, { step_id: 'two' }]
    const newJobs = [
      newJob('a', {}, moved('IN_PROGRESS', T0 + 5)),
      newJob('b', ended(T0), moved('SUCCEEDED', T0 + 3)),
      newJob('c'),
    ]
    await tables.write(setOf({ newJobs, counts: [{ tenant_id: 't', kind: 'job', state: 'QUEUED', n: 3 }] }))
    const moving = JSON.stringify({ steps: { 0: { state: 'DISPATCHING', updated_at: toIso(T0 + 4) } } })
    await tables.write(setOf({ jobs: [changedJob('c', 1, { moving })] }))
    expect(await ids({ where: { state: 'IN_PROGRESS' } })).toEqual(['a/one'])
    expect(await ids({ where: { state: 'DISPATCHING' } })).toEqual(['c/one'])
    expect(await ids({ where: { state: 'SUCCEEDED' } })).toEqual(['b/one'])
    expect(await ids({ where: { service: 'service-two', job_id: 'a' } })).toEqual(['a/two'])
    expect(await ids({ where: { doc_id: 'd' } })).toEqual([])
    const times = { order: 'changed', isDescending: true } as const
    expect(await ids({ ...times, limit: 3 })).toEqual(['a/one', 'c/one', 'b/one'])
    expect(await ids({ ...times, after: place('c/one', T0 + 4) })).toEqual(['b/one', 'b/two', 'a/two'])
    expect(await ids({ changedFrom: T0 + 4 })).toEqual(['a/one', 'c/one'])
  })
})

describe('finding outbox rows', () => {
  it('has open and closed ones in one order', async () => {
    const row = (outbox_id: string, state: string, at: number) => ({
      kind: 'outbox',
      tenant_id: 't',
      outbox_id,
      job_id: 'a',
      step_id: 'one',
      state,
      updated_at: toIso(at),
    })
    const moving = JSON.stringify({ outbox: [row('o2', 'PENDING', T0 + 1)] })
    const closed = (outbox_id: string, changed_at: number) => {
      const body = JSON.stringify(row(outbox_id, 'SENT', changed_at))
      return { tenant_id: 't', outbox_id, job_id: 'a', step_id: 'one', state: 'SENT', changed_at, body }
    }
    await tables.write(
      setOf({
        newJobs: [newJob('a', { moving, open_rows: 1 })],
        rows: [closed('o1', T0 + 2), closed('o3', T0)],
      }),
    )
    const ids = async (parts: Partial<Find>) =>
      (await tables.findOutbox(findOf(parts)))
        .map((found) => ('closed' in found ? found.closed.outbox_id : found.outbox_id))
        .join(' ')
    expect(await ids({})).toBe('o1 o2 o3')
    expect(await ids({ order: 'changed' })).toBe('o3 o2 o1')
    expect(await ids({ after: place('o1'), limit: 1 })).toBe('o2')
    expect(await ids({ where: { state: 'PENDING' } })).toBe('o2')
    expect(await ids({ where: { state: 'SENT', step_id: 'one' } })).toBe('o1 o3')
    expect(await ids({ where: { doc_id: 'x' } })).toBe('')
    expect(await tables.outboxRow('t', 'o1')).toMatchObject({ closed: { outbox_id: 'o1' } })
    expect(await tables.outboxRow('t', 'o2')).toMatchObject({ job: { job_id: 'a' }, outbox_id: 'o2' })
    expect(await tables.outboxRow('t', 'o')).toBeNull()
  })
})

describe('the log', () => {
  const select = async (parts: Partial<ChunkSelect>) => {
    const whole = {
      tags: [],
      from: undefined,
      before: undefined,
      seq: 0,
      isDescending: false,
      limit: 100,
      ...parts,
    }
    return (await tables.chunks(whole)).map(({ first_seq }) => first_seq)
  }

  beforeEach(async () => {
    const at = (ms: number) => (T0 + ms) / 1000
    await tables.write(
      setOf({
        newJobs: [newJob('a', { doc_id: 'd' })],
        chunk: chunkOf(entry('a', { path: [null, 'X', 'Y'] })),
      }),
    )
    await tables.write(
      setOf({
        records: [document('d', 0)],
        chunk: chunkOf(entry('d', { kind: 'document', job_id: null, doc_id: 'd', timestamp: at(10) })),
      }),
    )
    await tables.write(
      setOf({ jobs: [changedJob('a', 1)], chunk: chunkOf(entry('a', { actor: 'you', timestamp: at(20) })) }),
    )
  })

  it('is read from any place, both ways', async () => {
    expect(await select({})).toEqual([1, 3, 4])
    expect(await select({ seq: 1 })).toEqual([1, 3, 4])
    expect(await select({ seq: 2 })).toEqual([3, 4])
    expect(await select({ seq: 4 })).toEqual([])
    expect(await select({ seq: Number.MAX_SAFE_INTEGER, isDescending: true })).toEqual([4, 3, 1])
    expect(await select({ seq: 2, isDescending: true })).toEqual([1])
    expect(await select({ seq: 1, isDescending: true })).toEqual([])
    expect(await select({ limit: 1 })).toEqual([1])
  })

  it('is filtered by tags, time and ids', async () => {
    expect(await select({ tags: ['kjob', 'tt'] })).toEqual([1, 4])
    expect(
      await select({ tags: ['kjob', 'uyou'], seq: Number.POSITIVE_INFINITY, isDescending: true }),
    ).toEqual([4])
    expect(await select({ tags: ['kjob'], seq: 1 })).toEqual([1, 4])
    expect(await select({ tags: ['sX', 'uyou'] })).toEqual([])
    expect(await select({ from: T0 + 10, before: T0 + 20 })).toEqual([3])
    expect(await select({ ids: [4, 1, 77], tags: ['kjob'] })).toEqual([1, 4])
    const sketches = await tables.sketches({ from: T0 + 1, before: undefined, after: 3, limit: 5 })
    expect(sketches.map(({ first_seq }) => first_seq)).toEqual([4])
  })

  it('is found by what it tells of', async () => {
    const none = {
      tenant_id: undefined,
      kind: undefined,
      id: undefined,
      job_id: undefined,
      doc_id: undefined,
    }
    await tables.write(setOf({ counts: [{ tenant_id: 't', kind: 'job', state: 'QUEUED', n: 1 }] }))
    expect(await tables.chunksAbout({ ...none, id: 'a' })).toEqual([1, 4])
    expect(await tables.chunksAbout({ ...none, kind: 'step', id: 'a/one', tenant_id: 't' })).toEqual([1, 4])
    expect(await tables.chunksAbout({ ...none, kind: 'document', id: 'a' })).toEqual([])
    expect(await tables.chunksAbout({ ...none, doc_id: 'd' })).toEqual([1, 3, 4])
    expect(await tables.chunksAbout({ ...none, job_id: 'a', tenant_id: 'u' })).toEqual([])
  })

  it('is removed from its beginning', async () => {
    expect(await tables.maintain(T0 + 20)).toBe(3)
    expect(await tables.head()).toMatchObject({ seq: 4, records: 1, removed: 3 })
    expect(await select({})).toEqual([4])
    expect(await select({ tags: ['kjob'] })).toEqual([4])
    expect(await tables.maintain(null)).toBe(0)
    expect(await tables.maintain(T0 + 99)).toBe(1)
    expect(await tables.head()).toMatchObject({ seq: 4, records: 0, removed: 4 })
  })

  it('and everything else has a view for people', async () => {
    const moving = JSON.stringify({
      job: { error_code: 'E' },
      // The second was not there when the job was submitted.
      steps: {
        0: { attempt_no: 1, lease_id: 'l' },
        1: { step_id: 'two', state: 'IN_PROGRESS', job_id: 'a' },
      },
    })
    const tried = (path: readonly string[], attempt_no: number) =>
      entry('a/one', {
        kind: 'step',
        job_id: 'a',
        path,
        metadata: { step_id: 'one', attempt_no, lease_id: 'l' },
      })
    await tables.write(
      setOf({
        jobs: [changedJob('a', 2, { moving })],
        chunk: chunkOf(
          tried(['PENDING', 'DISPATCHING'], 1),
          tried(['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS', 'SUCCEEDED'], 1),
        ),
      }),
    )
    const db = new Connection(join(folder, 'ledger.db'), { readOnly: true, busyMs: 0 })
    const all = (view: string) => db.all<{ [column: string]: unknown }>(`SELECT * FROM ${view}`)
    expect(all('jobs')).toMatchObject([
      { job_id: 'a', priority: 2, error_code: 'E', run_at: null, depends_on: '[]' },
    ])
    expect(all('steps')).toMatchObject([
      {
        tenant_id: 't',
        job_id: 'a',
        step_id: 'one',
        step_index: 0,
        attempt_no: 1,
        lease_id: 'l',
        updated_at: toIso(T0),
      },
      { tenant_id: 't', job_id: 'a', step_id: 'two', step_index: 1, state: 'IN_PROGRESS' },
    ])
    expect(all('documents')).toMatchObject([{ doc_id: 'd', state: 'pending', adapter: 'a' }])
    expect(all('stuck_documents')).toMatchObject([{ doc_id: 'd', since: T0 / 1000 }])
    expect(all('events').map(({ seq, old_state, new_state }) => [seq, old_state, new_state])).toEqual([
      [1, null, 'X'],
      [2, 'X', 'Y'],
      [3, null, 'QUEUED'],
      [4, null, 'QUEUED'],
      [5, 'PENDING', 'DISPATCHING'],
      [6, 'DISPATCHING', 'AWAITING_ACK'],
      [7, 'AWAITING_ACK', 'IN_PROGRESS'],
      [8, 'IN_PROGRESS', 'SUCCEEDED'],
    ])
    expect(all('step_attempts')).toMatchObject([
      { job_id: 'a', attempt_no: 1, lease_id: 'l', outcome: 'SUCCEEDED' },
    ])
    for (const view of ['outbox', 'runs', 'workstreams', 'queues', 'schedules', 'tokens'])
      expect(all(view)).toEqual([])
    db.close()
  })
})
