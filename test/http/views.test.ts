// What people look at: put together from records and history, filtered by what no engine has.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { type HttpLedger, httpLedger, OURS, THEIRS } from './http-ledger.ts'
import { attemptOf, type Possessions, populate } from './populate.ts'

interface Item {
  readonly [field: string]: unknown
}

describe.each([
  ['memory', () => 'memory:'],
  ['journal', (folder: string) => folder],
  ['sqlite', (folder: string) => `sqlite:${folder}/ledger.db`],
])('over %s', (_engine, urlOf) => {
  let http: HttpLedger
  let own: Possessions
  let folder: string

  beforeAll(async () => {
    folder = quickFolder('waybill-views-')
    http = await httpLedger({ url: urlOf(folder), settings: { tenant_id: OURS } })
    own = await populate(http.ledger, OURS)
    await populate(http.ledger, THEIRS)
    await http.ledger.jobs.result(attemptOf(own.work), {
      status: 'FAILED',
      failure_class: 'NON_RETRYABLE',
      error: { code: 'BROKEN', message: 'The Printer burns' },
    })
    await http.ledger.documents.updateState(own.doc, 'indexed', { tenant_id: OURS }).catch(() => undefined)
  })
  afterAll(async () => {
    await http[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const get = (path: string, query: { readonly [name: string]: string } = {}) =>
    http.as('acme.viewer', 'GET', path, { query })

  /** Everything, page by page. */
  async function all(path: string, query: { readonly [name: string]: string }): Promise<readonly Item[]> {
    const items: Item[] = []
    let after: string | null = null
    do {
      const { status, json } = await get(path, { ...query, ...(after === null ? null : { after }) })
      expect(status).toBe(200)
      expect(json.items.length).toBeLessThanOrEqual(Number(query.limit ?? 100))
      items.push(...json.items)
      after = json.next
    } while (after !== null)
    return items
  }

  describe('the history', () => {
    it('has a level in every record, wherever it is read', async () => {
      for (const path of ['/v1/audit', `/v1/jobs/${own.job}/events`, `/v1/documents/${own.doc}/history`]) {
        const { json } = await get(path)
        expect(json.items.length).toBeGreaterThan(0)
        for (const { level } of json.items) expect(['error', 'warn', 'info', 'debug']).toContain(level)
      }
    })

    it.each<[{ readonly [name: string]: string }, (item: Item) => boolean]>([
      [{ level: 'error' }, ({ level }) => level === 'error'],
      [{ level: 'error,warn' }, ({ level }) => level === 'error' || level === 'warn'],
      [{ kind: 'job,document' }, ({ kind }) => kind === 'job' || kind === 'document'],
      [{ event: 'refused,noted' }, ({ event }) => event === 'refused' || event === 'noted'],
      [
        { state: 'FAILED_FINAL,QUEUED' },
        ({ new_state }) => new_state === 'FAILED_FINAL' || new_state === 'QUEUED',
      ],
      [{ q: 'PRINTER' }, ({ error_message }) => error_message === 'The Printer burns'],
      [
        { kind: 'job', q: 'acme-s' },
        ({ kind, job_id }) => kind === 'job' && String(job_id).startsWith('acme-s'),
      ],
    ])('is filtered by %j, a few at a time and in both directions', async (filter, matches) => {
      const everything = await all('/v1/audit', { limit: '1000' })
      const wanted = everything.filter(matches).map(({ cursor }) => cursor)
      expect(wanted.length).toBeGreaterThan(0)
      expect(wanted.length).toBeLessThan(everything.length)
      for (const limit of ['1', '3', '1000']) {
        const found = await all('/v1/audit', { ...filter, limit })
        expect(found.map(({ cursor }) => cursor)).toEqual(wanted)
        const back = await all('/v1/audit', { ...filter, limit, direction: 'desc' })
        expect(back.map(({ cursor }) => cursor).toSorted()).toEqual(wanted.toSorted())
      }
    })

    it('of a run is the run itself and what its jobs do', async () => {
      for (const filter of [{ run_id: own.run }, { workstream_id: own.workstream }]) {
        const found = await all('/v1/audit', { ...filter, limit: '2' })
        expect(new Set(found.map(({ job_id }) => job_id))).toEqual(new Set([null, own.job]))
      }
    })

    it.each([{ level: 'fatal' }, { q: '' }, { q: 'x'.repeat(201) }, { kind: 'job,thing' }])(
      'is not asked for %j',
      async (query: object) => {
        const { status, json } = await get('/v1/audit', query as never)
        expect([status, json.code]).toEqual([422, 'INVALID_INPUT'])
      },
    )
  })

  describe('lists', () => {
    it.each([
      ['/v1/jobs', 'job_id', 'DONE', ['acme-done']],
      ['/v1/jobs', 'job_id', 'two.v1', []],
      ['/v1/jobs', 'job_id', 'acme-', ['acme-done', 'acme-job', 'acme-running', 'acme-staged']],
      ['/v1/documents', 'doc_id', 'Acme-D', ['acme-doc']],
      ['/v1/runs', 'run_id', 'RUN', ['acme-run']],
      ['/v1/workstreams', 'workstream_id', 'acme-run', ['acme-ws']],
    ])('%s by a part of a name: %s %s', async (path, field, q, ids) => {
      for (const limit of ['1', '100'])
        expect((await all(path, { q, limit })).map((item) => item[field])).toEqual(ids)
    })

    it('of jobs by protocol, pipeline and the step that they are at', async () => {
      const ids = async (query: { readonly [name: string]: string }) =>
        (await all('/v1/jobs', query)).map(({ job_id }) => job_id)
      expect(await ids({ protocol_id: 'work.v1' })).toEqual(['acme-done', 'acme-running'])
      expect(await ids({ step_id: 'bootstrap' })).toEqual(['acme-staged'])
      expect(await ids({ step_id: 'do', state: 'SUCCEEDED' })).toEqual(['acme-done'])
      expect(await ids({ pipeline_name: 'nobody' })).toEqual([])
    })
  })

  it('a job: what may be done with it, what has to do with it, and its attempts', async () => {
    const failed = `${OURS}-running`
    const { json: actions } = await get(`/v1/jobs/${failed}/actions`)
    expect(actions.items.map(({ action, allowed }: Item) => [action, allowed])).toEqual([
      ['cancel', false],
      ['again', true],
      ['expedite', false],
      ['annotate', false],
    ])
    expect(actions.items[1].from_steps).toEqual(['do'])
    const { json: attempts } = await get(`/v1/jobs/${failed}/attempts`)
    expect(attempts).toMatchObject({
      is_complete: true,
      items: [{ step_id: 'do', attempt_no: 1, holder: 'w', outcome: 'FAILED_FINAL', error_code: 'BROKEN' }],
    })
    const { json: related } = await get(`/v1/jobs/${own.job}/related`)
    expect(related).toMatchObject({ depends_on: [], dependants: [], chain: [], dependants_is_more: false })
  })

  it('the board, whose cards move as they say', async () => {
    const { json } = await get('/v1/board')
    const cards = json.lanes.flatMap(({ items }: { items: Item[] }) => items)
    expect(cards).toMatchObject([{ workstream_id: own.workstream, tenant_id: OURS, jobs: { open: 1 } }])
    const [{ etag, moves }] = cards
    const move = moves.find(({ allowed }: Item) => allowed)
    const { status } = await http.as('acme.operator', 'POST', `/v1/workstreams/${own.workstream}:move`, {
      body: { state: move.state },
      headers: { 'if-match': `"${etag}"` },
    })
    expect(status).toBe(200)
    const after = (await get('/v1/board', { run_id: own.run })).json
    expect(after.lanes.find(({ lane }: Item) => lane === move.lane).items).toHaveLength(1)
    const none = (await get('/v1/board', { run_id: 'nowhere' })).json
    expect(none.lanes.flatMap(({ items }: { items: Item[] }) => items)).toEqual([])
  })

  it('search, in what one may see', async () => {
    const hits = async (as: 'acme.viewer' | 'viewer', query: { readonly [name: string]: string }) =>
      (await http.as(as, 'GET', '/v1/search', { query })).json.items.map(
        ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`,
      )
    expect((await hits('acme.viewer', { q: 'acme-doc' }))[0]).toBe('document acme-doc')
    expect(await hits('acme.viewer', { q: THEIRS })).toEqual([])
    expect((await hits('viewer', { q: `${THEIRS}-doc`, tenant_id: '*' }))[0]).toBe(`document ${THEIRS}-doc`)
    for (const query of [{ q: ' ' }, {}, { q: 'x'.repeat(513) }])
      expect((await get('/v1/search', query)).json).toMatchObject({ code: 'INVALID_INPUT', field: 'q' })
  })
})

describe('who one is', () => {
  it('what one may, whose records one sees, and whether there is something to steer', async () => {
    await using http = await httpLedger({ settings: { tenant_id: OURS } })
    const ask = async (name: Parameters<HttpLedger['as']>[0]) =>
      (await http.as(name, 'GET', '/v1/session')).json
    expect(await ask('acme.viewer')).toEqual({
      name: 'acme.viewer',
      role: 'viewer',
      tenants: [OURS],
      may: ['read'],
      default_tenant: OURS,
      may_give: expect.arrayContaining(['viewer']),
      has_admin: true,
    })
    expect(await ask('admin')).toMatchObject({
      may: ['read', 'work', 'write', 'admin'],
      default_tenant: OURS,
    })
    expect(await ask('globex.operator')).toMatchObject({
      may: ['read', 'work', 'write'],
      default_tenant: THEIRS,
    })
    await using without = await httpLedger({ serve: { admin: false } })
    expect((await without.as('admin', 'GET', '/v1/session')).json.has_admin).toBe(false)
  })
})

it('what happens is followed by level and text as well', async () => {
  await using http = await httpLedger({ settings: { tenant_id: OURS } })
  await populate(http.ledger, OURS)
  const response = await fetch(
    `http://127.0.0.1:${http.port}/v1/events?after=0&level=info&q=ACME-DOC&tenant_id=${OURS}`,
    { headers: { authorization: `Bearer ${http.tokens['acme.viewer']}` } },
  )
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (!text.includes('data: ')) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  const [line] = text.split('\n').filter((one) => one.startsWith('data: '))
  expect(JSON.parse((line as string).slice(6))).toMatchObject({ doc_id: 'acme-doc', level: 'info' })
})

it('a look at the history ends after 50,000 records, and goes on from there', async () => {
  await using http = await httpLedger({ settings: { tenant_id: OURS } })
  const updates = Array.from({ length: 25_500 }, (_, i) => [
    { doc_id: `d-${i}`, state: 'fetching' as const, tenant_id: OURS },
    { doc_id: `d-${i}`, state: 'fetched' as const, tenant_id: OURS },
  ]).flat()
  await http.ledger.documents.updateMany(updates)
  const ask = async (after: object = {}) =>
    (await http.as('acme.viewer', 'GET', '/v1/audit', { query: { q: 'd-25499', ...after } })).json
  const first = await ask()
  expect(first).toMatchObject({ items: [], next: expect.any(String) })
  const second = await ask({ after: first.next })
  expect(second.items).toHaveLength(2)
  const jobs = await http.as('acme.viewer', 'GET', '/v1/documents', { query: { q: 'nothing' } })
  expect(jobs.json).toMatchObject({ items: [], next: expect.any(String) })
})
