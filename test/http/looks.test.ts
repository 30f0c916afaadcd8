// What takes a look at everything at once: what it tells, whom of, and within which bounds.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Work } from '../../src/ledger/claim.ts'
import { LARGEST_PAGE } from '../../src/store/query.ts'
import { envelope, type HttpLedger, httpLedger, OURS, THEIRS, type TokenName } from './http-ledger.ts'
import { attemptOf, populate } from './populate.ts'

let http: HttpLedger

beforeEach(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS } })
  onTestFinished(() => http[Symbol.asyncDispose]())
})

const get = (as: TokenName, path: string, query: { readonly [name: string]: string } = {}) =>
  http.as(as, 'GET', path, { query })

const submit = (more: object) => http.ledger.jobs.submit(envelope({ request_type: 'WORK', ...more }) as never)

/** Long enough for what was kept to be looked at again. */
const pass = (ms = 1000) => http.world.advanceBy(ms)

/** A tool job that has run, as a worker leaves it. */
async function ran(job_id: string, metadata: object, { tenant_id = OURS, tool = 'aider' } = {}) {
  const name = `tool:${tool}`
  const steps = [{ step_id: 'run', step_type: 'TOOL', service: name, delivery: 'pull' }] as const
  http.ledger.jobs.register({ protocol_id: name, request_type: name, steps })
  await submit({ tenant_id, job_id, request_type: name, payload: { job_id, paths: { repo_root: '/repo' } } })
  const [work] = await http.ledger.jobs.claim({ queues: [name], tenants: [tenant_id], worker: 'w' })
  await http.ledger.jobs.result(attemptOf(work as Work), { status: 'SUCCEEDED', metadata: metadata as never })
  await pass()
}

describe('GET /v1/radar', () => {
  it('has a row for each pipeline or workstream of the tenant, and a cell for each stage', async () => {
    await populate(http.ledger, OURS)
    await populate(http.ledger, THEIRS)
    const { json } = await get('acme.viewer', '/v1/radar')
    expect(json).toMatchObject({ by: 'pipeline', is_more: false })
    const work = json.rows.find(({ row }: { row: string }) => row === 'work.v1')
    expect(work).toMatchObject({
      tenant_id: OURS,
      filter: { protocol_id: 'work.v1' },
      open: 1,
      cells: [{ stage: 'do', running: 1, waiting: 0, passed: 1, failed: 0, oldest_job_id: 'acme-running' }],
    })
    const streams = await get('acme.viewer', '/v1/radar', { by: 'workstream', hours: '1' })
    expect(streams.json.rows).toMatchObject([
      { row: 'acme-ws', filter: { workstream_id: 'acme-ws' }, open: 1 },
    ])
    const all = await get('viewer', '/v1/radar', { tenant_id: '*' })
    expect(new Set(all.json.rows.map((row: { tenant_id: string }) => row.tenant_id))).toEqual(
      new Set([OURS, THEIRS]),
    )
  })

  it.each([{ by: 'moon' }, { hours: '0' }, { hours: '169' }, { hours: '1.5' }])(
    'refuses %j',
    async (query) => {
      expect((await get('viewer', '/v1/radar', query as never)).status).toBe(422)
    },
  )

  it('is kept for a while, for each tenant by itself', async () => {
    const open = async (as: TokenName) => (await get(as, '/v1/radar')).json.rows[0]?.open
    await submit({ job_id: '1' })
    expect(await open('acme.viewer')).toBe(1)
    await submit({ job_id: '2', payload: { n: 2 } })
    expect(await open('acme.viewer')).toBe(1)
    expect(await open('globex.viewer')).toBeUndefined()
    await pass()
    expect(await open('acme.viewer')).toBe(2)
  })
})

describe('GET /v1/activity', () => {
  it('counts what happened to the tenant, in 60 steps', async () => {
    await populate(http.ledger, OURS)
    await populate(http.ledger, THEIRS)
    const last = async (as: TokenName, query: { readonly [name: string]: string } = {}) => {
      const { json } = await get(as, '/v1/activity', query)
      for (const name of ['at', 'submitted', 'succeeded', 'failed', 'cancelled', 'retried', 'refused']) {
        expect(json[name]).toHaveLength(60)
      }
      expect(json).toMatchObject({ complete_from: null })
      return [json.step_seconds, json.submitted.at(-1), json.succeeded.at(-1)]
    }
    expect(await last('acme.viewer')).toEqual([60, 4, 1])
    expect(await last('viewer', { tenant_id: '*', minutes: '1440' })).toEqual([1440, 8, 2])
    expect(await last('viewer', { tenant_id: 'nobody', minutes: '5' })).toEqual([5, 0, 0])
  })

  it.each([{ minutes: '0' }, { minutes: '1441' }, { minutes: 'x' }])('refuses %j', async (query) => {
    expect((await get('viewer', '/v1/activity', query as never)).status).toBe(422)
  })
})

describe('GET /v1/overview', () => {
  it('tells what waits, and who has what', async () => {
    await populate(http.ledger, OURS)
    await populate(http.ledger, THEIRS)
    const { json } = await get('acme.viewer', '/v1/overview')
    expect(json).toMatchObject({
      tenant_id: OURS,
      waiting: { count: 2, is_more: false },
      outbox: { pending: 1, oldest_job_id: 'acme-job' },
      workers: { items: [{ name: 'w', tenants: [OURS], running: 1, jobs: [{ job_id: 'acme-running' }] }] },
      runs: { items: [], ended: 0 },
    })
    expect(json.waiting.oldest.map(({ cause }: { cause: string }) => cause).sort()).toEqual([
      'dispatcher',
      'external',
    ])
    const all = await get('viewer', '/v1/overview', { tenant_id: '*' })
    expect(all.json.workers.items).toMatchObject([{ tenants: [OURS, THEIRS], running: 2 }])
  })
})

describe('GET /v1/tenants', () => {
  it('names those that the caller is for, and no others', async () => {
    await submit({ job_id: '1' })
    await submit({ job_id: '2', tenant_id: 'third' })
    const told = async (as: TokenName) => (await get(as, '/v1/tenants')).json
    expect(await told('viewer')).toEqual({
      items: [
        { tenant_id: OURS, open: 1 },
        { tenant_id: 'third', open: 1 },
      ],
      is_more: false,
    })
    expect((await told('both')).items).toEqual([
      { tenant_id: OURS, open: 1 },
      { tenant_id: THEIRS, open: 0 },
    ])
    expect((await told('globex.viewer')).items).toEqual([{ tenant_id: THEIRS, open: 0 }])
  })
})

describe('GET /v1/files', () => {
  it('tells which job changed each file last, the newest first', async () => {
    await ran('first', { touched_files: ['src/a.ts', 'README.md'], commit_before: 'c0' })
    await ran('second', { touched_files: ['src/a.ts'], commit_before: 'c1' })
    await ran('commit', { touched_files: ['src/a.ts'], git: { operation: 'commit' }, commit_after: 'c2' })
    await ran('alone', { touched_files: ['Old.ts'], git: { operation: 'commit' }, commit_after: 'c3' })
    await ran('theirs', { touched_files: ['src/a.ts'] }, { tenant_id: THEIRS })
    await submit({ job_id: 'no tool' })
    const told = async (as: TokenName, query = {}) => (await get(as, '/v1/files', query)).json
    const { items, is_more } = await told('acme.viewer')
    expect(is_more).toBe(false)
    expect(items.map(({ file, job_id }: { file: string; job_id: string }) => [file, job_id])).toEqual([
      ['Old.ts', 'alone'],
      ['src/a.ts', 'second'],
      ['README.md', 'first'],
    ])
    expect(items[1]).toMatchObject({
      tenant_id: OURS,
      repo_root: '/repo',
      tool: 'aider',
      state: 'SUCCEEDED',
      status: 'completed',
      commit_before: 'c1',
      commit_after: 'c2',
    })
    expect((await told('acme.viewer', { q: '.TS' })).items).toHaveLength(2)
    expect(await told('acme.viewer', { limit: '1' })).toMatchObject({ items: [{}], is_more: true })
    expect((await told('viewer', { tenant_id: '*', q: 'src' })).items).toMatchObject([
      { tenant_id: THEIRS, job_id: 'theirs' },
      { tenant_id: OURS, job_id: 'second' },
    ])
  })

  it('tells of one file who changed it and who committed that', async () => {
    await ran('edit', { touched_files: ['src/a.ts'], commit_before: 'c0' })
    await ran('commit', { touched_files: ['src/a.ts'], git: { operation: 'commit' }, commit_after: 'c1' })
    const last = (as: TokenName, query: object) => get(as, '/v1/files/last', { file: 'src/a.ts', ...query })
    expect((await last('acme.viewer', {})).json).toMatchObject({
      file: 'src/a.ts',
      job: { job_id: 'edit', tool: 'aider' },
      committed_by: { job_id: 'commit' },
      commit_before: 'c0',
      commit_after: 'c1',
      tests: null,
    })
    const nobody = await last('globex.viewer', {})
    expect([nobody.status, nobody.json.code, nobody.json.field]).toEqual([404, 'NOT_FOUND', 'file'])
    expect((await last('acme.viewer', { repo_root: '/elsewhere' })).status).toBe(404)
    expect((await last('acme.viewer', { file: '/etc/passwd' })).json.field).toBe('file')
    expect((await last('viewer', { tenant_id: '*' })).status).toBe(422)
    expect((await get('acme.viewer', '/v1/files/last')).json.field).toBe('file')
  })

  it.each([{ limit: '0' }, { limit: String(LARGEST_PAGE + 1) }, { q: 'x'.repeat(5000) }])(
    'refuses %#: too little, too much, too long',
    async (query) => {
      expect((await get('viewer', '/v1/files', query as never)).status).toBe(422)
    },
  )
})
