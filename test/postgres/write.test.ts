import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import {
  ROW_TYPES,
  type RowTypes,
  WRITE_PARAMETERS,
  writeValues,
} from '../../src/store/postgres/write-values.ts'
import { Conflict, type Wanted, type WriteSet } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { changedJob, chunk, document, loneSet as lone, newJob, PLACE, setOf } from './sets.ts'

const NOTHING: Wanted = { jobs: [], records: [], claims: [], slots: [], refusals: [], rows: [] }
const T = 'default'

const HOLDS = ['x', 'y']

/** Jobs that were submitted alike. */
function alike(prefix: string): WriteSet {
  const ids = Array.from({ length: 20 }, (_, nth) => `${prefix}${100 + nth}`)
  return setOf({
    newJobs: ids.map((id) => newJob(id, { holds: HOLDS, fixed: `${id} ü`, isTold: true })),
    ready: { adds: ids.map((job_id) => ({ ...PLACE, job_id })), drops: [] },
    claims: ids.map((id) => ({ tenant_id: T, key: `request ${id}`, owner: id })).reverse(),
    chunk: chunk('a'),
  })
}

const STAMP = {
  writer: '',
  batch: 1,
  process: '',
  isMade: true,
  isCounted: true,
  isLimited: true,
  types: Object.fromEntries(ROW_TYPES.map((type) => [type, 0])) as RowTypes,
}

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

  it('calls each function with as many parameters as it takes', () => {
    const sets = { write: setOf({}), write_alike: alike('p'), write_lone: lone('p') }
    for (const [call, set] of Object.entries(sets)) {
      const written = writeValues(set, STAMP)
      expect(written.call).toBe(call)
      expect(written.values).toHaveLength(WRITE_PARAMETERS[written.call])
    }
  })

  it('writes jobs as alike in whatever order they come', () => {
    const { newJobs, ready, ...others } = alike('p')
    const turned = { adds: [...ready.adds.slice(7), ...ready.adds.slice(0, 7)], drops: [] }
    const set = { ...others, newJobs: [...newJobs.slice(5), ...newJobs.slice(0, 5)], ready: turned }
    expect(writeValues(set, STAMP)).toEqual(writeValues(alike('p'), STAMP))
    expect(writeValues(set, STAMP).call).toBe('write_alike')
    const elsewhere = { adds: ready.adds.map((add) => ({ ...add, job_id: `${add.job_id}x` })), drops: [] }
    expect(writeValues({ ...set, ready: elsewhere }, STAMP).call).toBe('write')
    expect(writeValues({ ...set, claims: [{ tenant_id: 'b', key: 'k', owner: 'o' }] }, STAMP).call).toBe(
      'write',
    )
  })

  it('writes a job as a lone one only when there is nothing else, and all that it adds to is there', () => {
    const slot = lone('p').slots[0] as WriteSet['slots'][number]
    const others: readonly Partial<WriteSet>[] = [
      { jobs: [changedJob('v1', 1)] },
      { slots: [slot, { ...slot, key: 'b' }] },
      { slots: [{ ...slot, named: [] }] },
      { claims: [{ tenant_id: T, key: 'a', owner: 'another' }] },
      { newJobs: [newJob('p', { moving: '{}' })] },
      { newJobs: [newJob('p', { tenant_id: 'b' })] },
      { counts: [...lone('p').counts, { tenant_id: T, kind: 'step', state: 'WAITING', n: 1 }] },
      { signals: [{ tenant_id: T, topic: 'a' }] },
      { chunk: null },
    ]
    for (const more of others)
      expect(writeValues(lone('p', more), STAMP).call, JSON.stringify(more)).toBe('write')
    for (const missing of ['isMade', 'isCounted', 'isLimited']) {
      expect(writeValues(lone('p'), { ...STAMP, [missing]: false }).call).toBe('write')
    }
  })

  it('writes a lone job as it writes it among others', async () => {
    const before = await tables.head()
    // The first of them make what the others add to, one on each connection.
    for (const nth of [1, 2, 3, 4, 5]) await tables.write(lone(`aa-${nth}`))
    const beside = (nth: number) => ({
      claims: [...lone(`bb-${nth}`).claims, { tenant_id: T, key: `b${nth}`, owner: '' }],
    })
    for (const nth of [1, 2, 3, 4, 5]) await tables.write(lone(`bb-${nth}`, beside(nth)))
    const { url } = server
    const rowsOf = (prefix: string) =>
      say(
        url,
        `SELECT substr(job_id, 4) AS nth, j.version, j.state, changed_at, ended_state, ended_at, request_type, protocol_id, doc_id,
         run_id, workstream_id, open_rows, holds, moving, substr(fixed, 4) AS fixed, queue, grp, rank, substr(c.key, 12) AS claimed,
         l.places, l.first_at, l.last_at, l.reach, l.at, l.tags, l.sketch, replace(l.entries, job_id, '') AS entries, s.counted,
         l.first_seq - min(l.first_seq) OVER () AS seq
         FROM ${schema}.job j JOIN ${schema}.born USING (tenant_id, job_id) JOIN ${schema}.ready USING (tenant_id, job_id)
         JOIN ${schema}.claim c ON c.owner = job_id JOIN ${schema}.log l ON l.chunk_id = ANY (j.log)
         JOIN ${schema}.slot s ON s.key = 'limit ' || substr(job_id, 1, 3) WHERE job_id LIKE $1 ORDER BY job_id`,
        [`${prefix}%`],
      )
    const written = await rowsOf('aa-')
    expect(written).toHaveLength(5)
    expect(written).toEqual(await rowsOf('bb-'))
    const after = await tables.head()
    expect([after.seq - before.seq, after.records - before.records]).toEqual([30, 30])
    const counts = (await tables.counts()).filter(({ tenant_id, state }) => tenant_id === T && state !== 'x')
    expect(counts).toContainEqual({ tenant_id: T, kind: 'step', state: 'PENDING', n: 20 })
    expect(counts).toContainEqual({ tenant_id: T, kind: 'job', state: 'QUEUED', n: 10 })
  })

  it('writes nothing of a lone job when somebody was faster', async () => {
    const slot = { ...(lone('cc-1').slots[0] as WriteSet['slots'][number]), most: 2 }
    for (const nth of [1, 2]) await tables.write(lone(`cc-${nth}`, { slots: [{ ...slot, most: null }] }))
    const before = await tables.head()
    const wrong: { readonly [what: string]: Partial<WriteSet> } = {
      'a limit that is used further': { slots: [{ ...slot, most: 1 }] },
      'a claim that is owned': { claims: [{ tenant_id: T, key: 'request cc-1', owner: 'cc-3' }] },
      'a job that is there': { newJobs: [newJob('cc-1')], claims: lone('cc-3').claims },
    }
    for (const [what, more] of Object.entries(wrong)) {
      await expect(tables.write(lone('cc-3', more)), what).rejects.toThrow(Conflict)
      // What it knew to be there is forgotten: the next write makes sure, and the one after it is a lone one again.
      await tables.write(
        setOf({
          slots: [{ ...slot, add: 0, most: null }],
          counts: lone('cc-3').counts.map((c) => ({ ...c, n: 0 })),
        }),
      )
    }
    expect(await tables.head()).toEqual(before)
    expect(await job('cc-3')).toBeUndefined()
    await tables.write(lone('cc-3', { slots: [slot] }))
    expect((await job('cc-3'))?.version).toBe(1)
    const { slots } = await tables.load({ ...NOTHING, slots: [slot] })
    expect(slots[0]?.counted).toBe(3)
  })

  it('writes jobs that are alike as it writes each of them alone', async () => {
    const one = alike('one-')
    const other = alike('two-')
    await tables.write(one)
    for (const [nth, newJob] of other.newJobs.entries()) {
      const adds = other.ready.adds.slice(nth, nth + 1)
      const claims = other.claims.filter(({ owner }) => owner === newJob.job_id)
      await tables.write({ ...other, newJobs: [newJob], ready: { adds, drops: [] }, claims })
    }
    const { url } = server
    const columns = `version, state, changed_at, ended_state, ended_at, request_type, protocol_id, doc_id, run_id,
      workstream_id, open_rows, holds, moving`
    const rowsOf = (prefix: string) =>
      say(
        url,
        `SELECT substr(job_id, 5) AS nth, ${columns}, substr(fixed, 5) AS fixed, queue, grp, rank, cardinality(log) AS told,
         substr(key, 13) AS claimed FROM ${schema}.job JOIN ${schema}.born USING (tenant_id, job_id) JOIN ${schema}.ready USING (tenant_id, job_id)
         JOIN ${schema}.claim ON owner = job_id WHERE job_id LIKE $1 ORDER BY job_id`,
        [`${prefix}%`],
      )
    const written = await rowsOf('one-')
    expect(written).toHaveLength(one.newJobs.length)
    expect(written).toEqual(await rowsOf('two-'))
    await expect(tables.write(alike('one-'))).rejects.toThrow(Conflict)
    await tables.write({ ...alike('six-'), claims: [] })
    expect((await job('six-119'))?.fixed).toBe('six-119 ü')
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
