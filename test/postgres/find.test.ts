import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import type { About, ChunkSelect } from '../../src/store/tables/log-parts.ts'
import type { Find, NewJob } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { findOf } from '../tables/sample-set.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { chunk, document, newJob, setOf } from './sets.ts'

const ABOUT: About = {
  tenant_id: undefined,
  kind: undefined,
  id: undefined,
  job_id: undefined,
  doc_id: undefined,
}

const CHUNKS: ChunkSelect = {
  tags: [],
  from: undefined,
  before: undefined,
  seq: 0,
  isDescending: false,
  limit: 100,
}

const outbox = (outbox_id: string, job_id: string, at: string) => ({
  outbox_id,
  job_id,
  step_id: 's1',
  state: 'PENDING',
  updated_at: at,
  topic: 'x\0y',
})

/** Ids whose steps come in another order than the jobs. */
const JOBS: readonly NewJob[] = [
  newJob('a', { changed_at: 50, doc_id: 'd1' }),
  newJob('a!', { changed_at: 40, state: 'SUCCEEDED', is_ended: true }),
  newJob('a/b', { changed_at: 30, state: 'FAILED_FINAL', is_ended: true, run_id: 'r1' }),
  newJob('b', {
    changed_at: 20,
    open_rows: 1,
    moving: JSON.stringify({
      steps: { 1: { state: 'IN_PROGRESS', updated_at: '2026-01-02T03:04:06.000Z' } },
      outbox: [outbox('o2', 'b', '2026-01-02T03:04:05.000Z')],
    }),
  }),
  newJob('a', { tenant_id: 't2', changed_at: 10, state: 'SUCCEEDED', is_ended: true, doc_id: 'd1' }),
]

describe('finding in PostgreSQL', () => {
  let server: TestServer
  let tables: PostgresTables
  const schema = freshSchema()

  beforeAll(async () => {
    server = await testServer()
    tables = await openPostgresTables(server.url, realWorld, { schema })
    await tables.write(
      setOf({
        newJobs: JOBS,
        records: [
          document('d1', 0, { changed_at: 3, state: 'failed' }),
          document('d2', 0, { changed_at: 2, adapter: 'a2' }),
          document('d3', 0, { changed_at: 1 }),
          document('r1', 0, { kind: 'run', state: 'active', adapter: null }),
          document('w1', 0, { kind: 'workstream', state: 'active', adapter: null, run_id: 'r1' }),
        ],
        rows: [
          {
            tenant_id: 'default',
            outbox_id: 'o1',
            job_id: 'a',
            step_id: 's1',
            state: 'SENT',
            changed_at: 9,
            body: '{}',
          },
          {
            tenant_id: 'default',
            outbox_id: 'o3',
            job_id: 'b',
            step_id: 's1',
            state: 'SENT',
            changed_at: 8,
            body: '{}',
          },
        ],
        counts: [{ tenant_id: 'default', kind: 'job', state: 'QUEUED', n: 1 }],
        chunk: chunk('a', 3, { tags: ['kjob', 'tdefault'], first_at: 10, last_at: 20 }),
      }),
    )
    await tables.write(
      setOf({
        refusals: [
          { tenant_id: 'default', kind: 'step', id: 'a/s1', job_id: 'a', from: 0, count: 1 },
          { tenant_id: 'elsewhere', kind: 'document', id: 'd9', job_id: null, from: 0, count: 1 },
        ],
        chunk: chunk('a', 2, { tags: ['kstep'], first_at: 30, last_at: 40 }),
      }),
    )
  })

  afterAll(async () => {
    await tables.close()
    await server.stop()
  })

  const jobs = async (find: Partial<Find>) =>
    (await tables.findJobs(findOf(find))).map(({ tenant_id, job_id }) => `${tenant_id}:${job_id}`)

  it('sorts jobs by id and by the time of the last change, both ways, page by page', async () => {
    const byId = ['default:a', 'default:a!', 'default:a/b', 'default:b', 't2:a']
    const byChange = [...byId].reverse()
    expect(await jobs({})).toEqual(byId)
    expect(await jobs({ isDescending: true })).toEqual([...byId].reverse())
    expect(await jobs({ order: 'changed' })).toEqual(byChange)
    expect(await jobs({ order: 'changed', isDescending: true, limit: 2 })).toEqual(byId.slice(0, 2))
    const after = { at: 30, tenant_id: 'default', id: 'a/b' }
    expect(await jobs({ after })).toEqual(byId.slice(3))
    expect(await jobs({ order: 'changed', after })).toEqual(byChange.slice(3))
    expect(await jobs({ order: 'changed', isDescending: true, after })).toEqual(byId.slice(3))
  })

  it('filters jobs, and finds none by what a job does not have', async () => {
    expect(await jobs({ tenant_id: 't2' })).toEqual(['t2:a'])
    expect(await jobs({ where: { doc_id: 'd1' } })).toEqual(['default:a', 't2:a'])
    expect(await jobs({ where: { state: ['QUEUED', 'FAILED_FINAL'] }, order: 'changed' })).toEqual([
      'default:b',
      'default:a/b',
      'default:a',
    ])
    expect(await jobs({ where: { state: 'QUEUED' } })).toEqual(['default:a', 'default:b'])
    expect(await jobs({ where: { state: [] }, order: 'changed' })).toEqual([])
    expect(await jobs({ changedFrom: 20, changedBefore: 40, order: 'changed' })).toEqual([
      'default:b',
      'default:a/b',
    ])
    expect(await jobs({ changedFrom: 20, changedBefore: 40 })).toEqual(['default:a/b', 'default:b'])
    expect(await jobs({ where: { service: 'x' } })).toEqual([])
    expect(await jobs({ where: { service: undefined, run_id: 'r1', job_id: 'a/b' } })).toEqual([
      'default:a/b',
    ])
  })

  it('finds steps by what they are now, sorted by the id that they have across the ledger', async () => {
    const steps = async (find: Partial<Find>) =>
      (await tables.findSteps(findOf({ tenant_id: 'default', ...find }))).map(
        ({ job, step_index }) => `${job.job_id}/s${step_index + 1}`,
      )
    const byId = ['a!/s1', 'a!/s2', 'a/b/s1', 'a/b/s2', 'a/s1', 'a/s2', 'b/s1', 'b/s2']
    expect(await steps({})).toEqual(byId)
    expect(await steps({ isDescending: true })).toEqual([...byId].reverse())
    expect(await steps({ after: { at: 0, tenant_id: 'default', id: 'a/b/s2' }, limit: 2 })).toEqual(
      byId.slice(4, 6),
    )
    expect(await steps({ where: { state: 'IN_PROGRESS' } })).toEqual(['b/s2'])
    expect(await steps({ order: 'changed', isDescending: true, limit: 1 })).toEqual(['b/s2'])
    expect(await steps({ where: { service: 'svc-s1', queue: 'q1', job_id: ['a', 'b'] } })).toEqual([
      'a/s1',
      'b/s1',
    ])
    expect(await steps({ where: { doc_id: 'd1' } })).toEqual([])
  })

  it('finds outbox rows, open and closed', async () => {
    const rows = async (find: Partial<Find>) =>
      (await tables.findOutbox(findOf(find))).map((row) =>
        'closed' in row ? row.closed.outbox_id : `${row.outbox_id} in ${row.job.job_id}`,
      )
    expect(await rows({})).toEqual(['o1', 'o2 in b', 'o3'])
    expect(await rows({ order: 'changed' })).toEqual(['o3', 'o1', 'o2 in b'])
    expect(await rows({ where: { state: 'PENDING' } })).toEqual(['o2 in b'])
    expect(await rows({ where: { job_id: 'b', state: ['SENT'] } })).toEqual(['o3'])
    expect(await tables.outboxRow('default', 'o2')).toMatchObject({ outbox_id: 'o2', job: { job_id: 'b' } })
    expect(await tables.outboxRow('default', 'o1')).toMatchObject({ closed: { job_id: 'a' } })
    expect(await tables.outboxRow('default', 'o')).toBeNull()
  })

  it('finds other records', async () => {
    const ids = async (kind: 'document' | 'run' | 'workstream', find: Partial<Find>) =>
      (await tables.findRecords(kind, findOf(find))).map(({ id }) => id)
    expect(await ids('document', {})).toEqual(['d1', 'd2', 'd3'])
    expect(await ids('document', { order: 'changed', limit: 2 })).toEqual(['d3', 'd2'])
    expect(await ids('document', { where: { adapter: 'a2' } })).toEqual(['d2'])
    expect(await ids('document', { where: { doc_id: ['d3', 'd1'], state: 'pending' } })).toEqual(['d3'])
    expect(await ids('workstream', { where: { run_id: 'r1' } })).toEqual(['w1'])
    expect(await ids('run', { where: { run_id: 'r1' } })).toEqual(['r1'])
    expect(await ids('run', { where: { workstream_id: 'w1' } })).toEqual([])
  })

  it('reads parts of the log by place, time, tags and whom they are about', async () => {
    const first = async (select: Partial<ChunkSelect>) =>
      (await tables.chunks({ ...CHUNKS, ...select })).map(({ first_seq }) => first_seq)
    expect(await first({})).toEqual([1, 4])
    expect(await first({ seq: 2 })).toEqual([1, 4])
    expect(await first({ seq: 3 })).toEqual([4])
    expect(await first({ seq: 5 })).toEqual([])
    expect(await first({ seq: 5, isDescending: true })).toEqual([4, 1])
    expect(await first({ seq: 4, isDescending: true })).toEqual([1])
    expect(await first({ seq: 1, isDescending: true })).toEqual([])
    expect(await first({ tags: ['kstep'] })).toEqual([4])
    expect(await first({ tags: ['kjob', 'kstep'] })).toEqual([])
    expect(await first({ from: 20, before: 30 })).toEqual([1])
    expect(await first({ ids: [2] })).toEqual([4])
    expect(await first({ ids: [] })).toEqual([])
    expect((await tables.sketches({ from: undefined, before: undefined, after: 1, limit: 9 })).length).toBe(1)

    const about = (given: Partial<About>) => tables.chunksAbout({ ...ABOUT, ...given })
    expect(await about({ kind: 'job', id: 'a' })).toEqual([1, 2])
    expect(await about({ job_id: 'a' })).toEqual([1, 2])
    expect(await about({ job_id: 'a', tenant_id: 't2' })).toEqual([1])
    expect(await about({ kind: 'step', id: 'a/s1', tenant_id: 'default' })).toEqual([1, 2])
    expect(await about({ id: 'a/s1' })).toEqual([1, 2])
    expect(await about({ kind: 'outbox', id: 'o1' })).toEqual([1, 2])
    expect(await about({ kind: 'outbox', id: 'o2' })).toEqual([1])
    expect(await about({ doc_id: 'd1' })).toEqual([1, 2])
    expect(await about({ doc_id: 'd9' })).toEqual([2])
    expect(await about({ doc_id: 'd8' })).toEqual([])
    expect(await about({ kind: 'document', id: 'd9' })).toEqual([2])
    expect(await about({ id: 'nobody' })).toEqual([])
  })

  it('has stages that nobody knew of when their job was submitted', async () => {
    const at = '2026-01-02T03:04:07.000Z'
    const late = {
      step_id: 's3',
      step_index: 2,
      state: 'SUCCEEDED',
      service: 'late',
      queue: 'q',
      updated_at: at,
    }
    const moving = JSON.stringify({ steps: { 2: late } })
    await tables.write(setOf({ newJobs: [newJob('late', { tenant_id: 't9', moving })] }))
    const found = await tables.findSteps(findOf({ tenant_id: 't9' }))
    expect(found.map(({ step_index }) => step_index)).toEqual([0, 1, 2])
    const where = `WHERE tenant_id = 't9' ORDER BY step_index`
    const rows = await say(server.url, `SELECT step_id, state, service FROM "${schema}".steps ${where}`)
    expect(rows).toHaveLength(3)
    expect(rows[2]).toEqual({ step_id: 's3', state: 'SUCCEEDED', service: 'late' })
  })

  it('has views for people, with what is usual filled in', async () => {
    const ask = (text: string) => say(server.url, text.replaceAll('@', `"${schema}".`))
    expect(
      await ask(`SELECT state, priority, record ->> 'schema_version' AS v FROM @jobs WHERE job_id = 'b'`),
    ).toEqual([{ state: 'QUEUED', priority: 2, v: 'v1' }])
    expect(
      await ask(
        `SELECT step_id, state, attempt_no, record ->> 'input_ref' AS i FROM @steps WHERE job_id = 'b' ORDER BY 1`,
      ),
    ).toEqual([
      { step_id: 's1', state: 'PENDING', attempt_no: 0, i: 'file:///in' },
      { step_id: 's2', state: 'IN_PROGRESS', attempt_no: 0, i: 'file:///in' },
    ])
    expect(await ask('SELECT outbox_id FROM @outbox ORDER BY 1')).toHaveLength(3)
    expect(await ask('SELECT doc_id FROM @stuck_documents ORDER BY 1')).toEqual([
      { doc_id: 'd2' },
      { doc_id: 'd3' },
    ])
    expect(await ask('SELECT seq::int, old_state, new_state FROM @events ORDER BY seq')).toEqual([
      { seq: 1, old_state: null, new_state: 'S1' },
      { seq: 2, old_state: 'S1', new_state: 'S2' },
      { seq: 3, old_state: 'S2', new_state: 'S3' },
      { seq: 4, old_state: null, new_state: 'S1' },
      { seq: 5, old_state: 'S1', new_state: 'S2' },
    ])
    for (const view of ['runs', 'workstreams', 'queues', 'schedules', 'tokens', 'step_attempts'])
      await ask(`SELECT * FROM @${view}`)
  })
})
