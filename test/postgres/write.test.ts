import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import {
  ALIKE_PARAMETERS,
  ROW_TYPES,
  type RowTypes,
  WRITE_PARAMETERS,
  writeValues,
} from '../../src/store/postgres/write-values.ts'
import { Conflict, type Wanted, type WriteSet } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { changedJob, chunk, document, newJob, setOf } from './sets.ts'

const NOTHING: Wanted = { jobs: [], records: [], claims: [], slots: [], refusals: [], rows: [] }
const T = 'default'

const HOLDS = ['x', 'y']

/** Jobs that were submitted alike. */
function alike(prefix: string): WriteSet {
  const ids = Array.from({ length: 20 }, (_, nth) => `${prefix}${100 + nth}`)
  return setOf({
    newJobs: ids.map((id) => newJob(id, { holds: HOLDS, fixed: `${id} ü`, isTold: true })),
    ready: { adds: ids.map((job_id) => ({ ...PLACE, job_id })), drops: [] },
    chunk: chunk('a'),
  })
}

const PLACE = { queue: 'q', tenant_id: T, group: 'g', rank: 7 }

describe('writing to PostgreSQL', () => {
  let server: TestServer
  let tables: PostgresTables
  const schema = freshSchema()

  beforeAll(async () => {
    server = await testServer()
    tables = await openPostgresTables(server.url, realWorld, { schema })
  })

  afterAll(async () => {
    await tables.close()
    await server.stop()
  })

  const job = async (id: string) =>
    (await tables.load({ ...NOTHING, jobs: [{ kind: 'job', tenant_id: T, id }] })).jobs[0]

  it('has as many parameters as the function takes', () => {
    const types = Object.fromEntries(ROW_TYPES.map((type) => [type, 0])) as RowTypes
    const stamp = { writer: '', batch: 1, process: '', isMade: false, isCounted: false, types }
    expect(writeValues(setOf({}), stamp)).toMatchObject({ isAlike: false })
    expect(writeValues(setOf({}), stamp).values).toHaveLength(WRITE_PARAMETERS)
    expect(writeValues(alike('p'), stamp)).toMatchObject({ isAlike: true })
    expect(writeValues(alike('p'), stamp).values).toHaveLength(ALIKE_PARAMETERS)
  })

  it('writes jobs that are alike as it writes each of them alone', async () => {
    const one = alike('one-')
    const other = alike('two-')
    await tables.write(one)
    for (const [nth, newJob] of other.newJobs.entries()) {
      const adds = other.ready.adds.slice(nth, nth + 1)
      await tables.write({ ...other, newJobs: [newJob], ready: { adds, drops: [] } })
    }
    const { url } = server
    const columns = `version, state, changed_at, ended_state, ended_at, request_type, protocol_id, doc_id, run_id,
      workstream_id, open_rows, holds, moving`
    const rowsOf = (prefix: string) =>
      say(
        url,
        `SELECT substr(job_id, 5) AS nth, ${columns}, substr(fixed, 5) AS fixed, queue, grp, rank, cardinality(log) AS told
         FROM ${schema}.job JOIN ${schema}.born USING (tenant_id, job_id) JOIN ${schema}.ready USING (tenant_id, job_id)
         WHERE job_id LIKE $1 ORDER BY job_id`,
        [`${prefix}%`],
      )
    const written = await rowsOf('one-')
    expect(written).toHaveLength(one.newJobs.length)
    expect(written).toEqual(await rowsOf('two-'))
    await expect(tables.write(alike('one-'))).rejects.toThrow(Conflict)
  })

  it('reads back what it wrote, whatever the texts are', async () => {
    const odd = 'ä"\\{},\u{1f600}NULL'
    await tables.write(
      setOf({
        newJobs: [newJob(odd, { holds: [odd, ''], moving: '{"job":{}}' })],
        records: [document(odd, 0, { adapter: null })],
        claims: [{ tenant_id: T, key: odd, owner: odd }],
        rows: [
          {
            tenant_id: T,
            outbox_id: odd,
            job_id: odd,
            step_id: 's',
            state: 'SENT',
            changed_at: 5,
            body: '{}',
          },
        ],
        slots: [{ tenant_id: T, key: odd, add: 2, most: null, named: [['x', null]], from: 0 }],
        refusals: [{ tenant_id: T, kind: 'step', id: odd, job_id: odd, from: 0, count: 3 }],
      }),
    )
    const loaded = await tables.load({
      jobs: [{ kind: 'job', tenant_id: T, id: odd }],
      records: [{ kind: 'document', tenant_id: T, id: odd }],
      claims: [
        { tenant_id: T, key: odd },
        { tenant_id: T, key: 'none' },
      ],
      slots: [{ tenant_id: T, key: odd }],
      refusals: [{ tenant_id: T, kind: 'step', id: odd }],
      rows: [{ tenant_id: T, id: odd }],
    })
    expect(loaded).toEqual({
      jobs: [
        {
          tenant_id: T,
          job_id: odd,
          version: 1,
          holds: [odd, ''],
          fixed: newJob(odd).fixed,
          moving: '{"job":{}}',
        },
      ],
      records: [{ kind: 'document', tenant_id: T, id: odd, version: 1, body: document(odd, 0).body }],
      claims: [{ tenant_id: T, key: odd, owner: odd }],
      slots: [{ tenant_id: T, key: odd, version: 1, counted: 2, named: [['x', null]] }],
      refusals: [{ kind: 'step', tenant_id: T, id: odd, count: 3 }],
      rows: [
        { tenant_id: T, outbox_id: odd, job_id: odd, step_id: 's', state: 'SENT', changed_at: 5, body: '{}' },
      ],
    })
    expect(await tables.holders([{ tenant_id: T, key: odd }])).toEqual([
      { tenant_id: T, key: odd, owner: odd },
    ])
  })

  it('changes nothing when anything is not as it was read', async () => {
    const named = [['x', 5]] as const
    await tables.write(
      setOf({
        newJobs: [newJob('v1')],
        records: [document('v1', 0)],
        claims: [{ tenant_id: T, key: 'v1', owner: 'v1' }],
        slots: [{ tenant_id: T, key: 'v1', add: 3, most: 0, named, from: 0 }],
        refusals: [{ tenant_id: T, kind: 'job', id: 'v1', job_id: 'v1', from: 0, count: 1 }],
      }),
    )
    const slot = { tenant_id: T, key: 'v1', add: 1, most: null, named: null, from: 0 }
    const refusal = { tenant_id: T, kind: 'job', id: 'v1', job_id: 'v1', count: 2 } as const
    const key = { kind: 'job', tenant_id: T, id: 'v1' } as const
    const doc = { kind: 'document', tenant_id: T, id: 'v1' } as const
    const wrong: { readonly [what: string]: Partial<WriteSet> } = {
      'a job of another version': { jobs: [changedJob('v1', 2)] },
      'a job that is not there': { jobs: [changedJob('v0', 1)] },
      'a new job that is there': { newJobs: [newJob('v1')] },
      'a record of another version': { records: [document('v1', 2)] },
      'a record that is not there': { records: [document('v0', 1)] },
      'a new record that is there': { records: [document('v1', 0)] },
      'a claim that is owned': { claims: [{ tenant_id: T, key: 'v1', owner: 'v2' }] },
      'a limit that is used further': { slots: [{ ...slot, most: 2 }] },
      'a limit that was never free': { slots: [{ ...slot, key: 'v0', most: -1 }] },
      'holders of another version': { slots: [{ ...slot, named, from: 0 }] },
      'a count of refusals': { refusals: [{ ...refusal, from: 2 }] },
      'a first refusal that is not': { refusals: [{ ...refusal, from: 0 }] },
      'what was read': { verify: [{ ...key, version: 2 }] },
      'what was not there': { verify: [{ ...key, version: 0 }] },
      'what is gone': { verify: [{ ...doc, id: 'v0', version: 1 }] },
      'another record that was read': { verify: [{ ...doc, version: 2 }] },
    }
    const before = await tables.head()
    for (const [what, parts] of Object.entries(wrong)) {
      const writing = tables.write(
        setOf({
          ...parts,
          claims: parts.claims ?? [{ tenant_id: T, key: 'w', owner: '' }],
          chunk: chunk('v1'),
        }),
      )
      await expect(writing, what).rejects.toThrow(Conflict)
    }
    expect(await tables.head()).toEqual(before)
    await tables.write(
      setOf({
        jobs: [changedJob('v1', 1)],
        records: [document('v1', 1)],
        slots: [{ ...slot, most: 3, named: [], from: 1 }],
        refusals: [{ ...refusal, from: 1 }],
        verify: [
          { ...key, id: 'v0', version: 0 },
          { ...doc, id: 'v0', version: 0 },
        ],
        claims: [{ tenant_id: T, key: 'w', owner: '' }],
      }),
    )
    const { slots } = await tables.load({ ...NOTHING, slots: [slot] })
    expect(slots).toEqual([{ tenant_id: T, key: 'v1', version: 2, counted: 4, named: [] }])
    expect((await job('v1'))?.version).toBe(2)
  })

  it('tells everybody who waits for a signal, once, also those who wait since this very write', async () => {
    const wait = (job_id: string, topic: string) => ({ tenant_id: T, topic, job_id })
    await tables.write(
      setOf({
        newJobs: [newJob('w1'), newJob('w2')],
        waits: { adds: [wait('w1', 'a'), wait('w1', 'b'), wait('w2', 'c')], drops: [] },
      }),
    )
    expect(await tables.nextDue()).toBeNull()
    await tables.write(
      setOf({
        waits: { adds: [wait('w2', 'a')], drops: [wait('w2', 'c')] },
        signals: ['a', 'b', 'c'].map((topic) => ({ tenant_id: T, topic })),
        due: { adds: [{ due_at: 77, tenant_id: T, job_id: 'w1' }], drops: [] },
      }),
    )
    expect(await tables.pendingSignals()).toBe(2)
    expect(await tables.nextDue()).toBe(0)
    const taken = await tables.take({ what: 'signalled', limit: 10 })
    expect(taken.jobs.map(({ job_id }) => job_id).sort()).toEqual(['w1', 'w2'])
    await taken.write(setOf({ delivered: [...taken.delivered.values()].flat() }))
    expect(await tables.pendingSignals()).toBe(0)
    expect(await tables.nextDue()).toBe(77)
  })

  it('numbers the log in the order of commits, and never turns the time back', async () => {
    const { seq } = await tables.head()
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tables.write(
          setOf({ newJobs: [newJob(`seq${index}`)], chunk: chunk(`seq${index}`, 3), at: 5000 - index }),
        ),
      ),
    )
    expect(written.map(({ head }) => head.seq).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => seq + 3 * (index + 1)),
    )
    expect((await tables.head()).at).toBe(5000)
    const all = await tables.chunks({
      tags: [],
      from: undefined,
      before: undefined,
      seq,
      isDescending: false,
      limit: 100,
    })
    expect(all.map(({ first_seq }) => first_seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => seq + 1 + 3 * index),
    )
  })

  it('counts states, whoever adds to them', async () => {
    const count = (n: number) => ({ tenant_id: 'c', kind: 'job', state: 'QUEUED', n }) as const
    await Promise.all([1, 2, 3, -2].map((n) => tables.write(setOf({ counts: [count(n)] }))))
    expect((await tables.counts()).filter(({ tenant_id }) => tenant_id === 'c')).toEqual([count(4)])
  })

  it('keeps a job on its page when it changes, as long as it is not over', async () => {
    const page = async () => {
      const rows = await say(
        server.url,
        `SELECT split_part(ctid::text, ',', 1) AS page FROM "${schema}".job WHERE job_id = 'hot'`,
      )
      return rows[0]?.page
    }
    await tables.write(setOf({ newJobs: [newJob('hot')] }))
    const before = await page()
    await tables.write(setOf({ jobs: [changedJob('hot', 1, { holds: ['k'] })], chunk: chunk('hot') }))
    expect(await page()).toBe(before)
  })
})
