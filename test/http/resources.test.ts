// Each resource once: what it answers, and what it refuses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Asker, askerOf } from './asker.ts'
import { envelope, type HttpLedger, httpLedger, OURS } from './http-ledger.ts'
import { type Possessions, populate } from './populate.ts'
import { askedOf, exampleOf, isStream, KNOWN_ROUTES, pathOf } from './route-examples.ts'

let http: HttpLedger
let asker: Asker
let own: Possessions

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS, inFlightLimit: 10_000 } })
  asker = askerOf(http)
  own = await populate(http.ledger, OURS)
})
afterAll(() => http[Symbol.asyncDispose]())

const get = (path: string, query: { readonly [name: string]: string } = {}) =>
  http.as('acme.viewer', 'GET', path, { query })
const post = (path: string, body: unknown = {}, headers: { readonly [name: string]: string } = {}) =>
  http.as('acme.operator', 'POST', path, { body, headers })

describe('every route', () => {
  it('answers what it says that it answers, with an id for whoever asks later', async () => {
    const { record } = await http.ledger.tokens.mint({ name: 'x', role: 'viewer', tenants: [OURS] })
    // No link, no registry, and nothing that a tool has printed.
    const missing = ['openSession', 'getMetrics', 'getLog', 'getLastChange']
    const routes = KNOWN_ROUTES.filter((one) => !isStream(one) && !missing.includes(one.operation))
    const failed: string[] = []
    for (const [i, route] of routes.entries()) {
      // What one of them does is not in the way of the next.
      const mine = await populate(http.ledger, `tenant-${i}`)
      const example = exampleOf(route, mine)
      const params = example.params?.token_id === undefined ? example.params : { token_id: record.token_id }
      const { tenant_id } = mine
      const query =
        route.query?.shape.tenant_id === undefined ? example.query : { ...example.query, tenant_id }
      const asked = askedOf(route, { ...example, ...(query === undefined ? null : { query }) })
      const { status, headers, json } = await http.as('admin', route.method, pathOf(route, params), asked)
      if (route.answers[status] === undefined || status >= 300)
        failed.push(`${route.operation} ${status} ${json?.code}`)
      expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
    expect(failed).toEqual([])
  })

  it('keeps the id that a caller gives its request, if it is one', async () => {
    const ask = async (id: string) =>
      (await http.as('acme.viewer', 'GET', '/v1/jobs/nowhere', { headers: { 'x-request-id': id } })).json
        .request_id
    expect(await ask('my-request.1')).toBe('my-request.1')
    for (const odd of ['a b', 'a"b', '<script>', 'ü', 'a'.repeat(129), ''])
      expect(await ask(odd)).not.toBe(odd)
  })
})

describe('lists', () => {
  it('250 jobs are found by pages of 100, each once, in the order asked for', async () => {
    await Promise.all(
      Array.from({ length: 250 }, (_, i) =>
        asker.submit({ tenant_id: 'many', request_type: 'WORK', job_id: `j-${i}`, payload: { i } }),
      ),
    )
    for (const order of [{}, { order: 'changed' }, { direction: 'desc' }]) {
      const seen: string[] = []
      let after: string | null = ''
      while (after !== null) {
        const query = {
          tenant_id: 'many',
          limit: '100',
          fields: 'job_id',
          ...order,
          ...(after === '' ? null : { after }),
        }
        const { json } = await http.as('viewer', 'GET', '/v1/jobs', { query })
        expect(json.items.length).toBeLessThanOrEqual(100)
        seen.push(...json.items.map((one: { job_id: string }) => one.job_id))
        after = json.next
      }
      expect([seen.length, new Set(seen).size]).toEqual([250, 250])
      if ('direction' in order) expect(seen).toEqual(seen.toSorted().toReversed())
    }
  })

  it.each([
    { limit: '0' },
    { limit: '1001' },
    { limit: '-1' },
    { limit: '1.5' },
    { limit: '1e2' },
    { limit: '' },
    { limit: ' 5' },
    { state: 'NOWHERE' },
    { state: '' },
    { order: 'size' },
    { direction: 'up' },
    { changed_from: 'yesterday' },
    { changed_from: '2025-01-01' },
    { run_id: '' },
    { run_id: 'x'.repeat(513) },
    { fields: '' },
    { tenant_id: '' },
    { tenant_id: ' ' },
    { after: '' },
  ])('a filter that makes no sense is refused: %j', async (query: object) => {
    const { status, json } = await get('/v1/jobs', query as never)
    expect([status, json.code]).toEqual([422, 'INVALID_INPUT'])
    expect(json.field).toMatch(new RegExp(`^${Object.keys(query)[0]}`))
  })

  it.each(['x', '-1', 'null', '{}', 'AAAA', '%00', '1,2', 'eyJhIjoxfQ'])(
    'a cursor that nobody gave out is refused: %s',
    async (after) => {
      for (const path of ['/v1/jobs', '/v1/documents', '/v1/runs', '/v1/workstreams']) {
        const { status, json } = await get(path, { after })
        expect([status, json.code]).toEqual([400, 'BAD_CURSOR'])
      }
      const { status } = await get('/v1/audit', { after })
      expect([200, 400, 410]).toContain(status)
    },
  )

  it('filters find what they say', async () => {
    const ids = async (query: object) =>
      (await get('/v1/jobs', query as never)).json.items.map((one: { job_id: string }) => one.job_id)
    expect(await ids({ state: 'SUCCEEDED' })).toEqual([own.doneJob])
    expect(await ids({ state: 'SUCCEEDED,IN_PROGRESS' })).toHaveLength(2)
    expect(await ids({ run_id: own.run })).toEqual([own.job])
    expect(await ids({ doc_id: own.doc, request_type: 'OCR' })).toEqual([own.job])
    expect(await ids({ doc_id: own.doc, request_type: 'WORK' })).toEqual([])
    expect(await ids({ changed_before: '2000-01-01T00:00:00Z' })).toEqual([])
    const repeated = await http.as('acme.viewer', 'GET', '/v1/jobs?state=SUCCEEDED&state=IN_PROGRESS')
    expect(repeated.json.items).toHaveLength(2)
  })

  it('fields that are asked for are all that comes', async () => {
    const { json } = await get('/v1/jobs', { fields: 'job_id,state,nothing' })
    for (const one of json.items) expect(Object.keys(one)).toEqual(['job_id', 'state'])
    expect((await get(`/v1/runs/${own.run}`, { fields: 'run_id' })).json).toEqual({ run_id: own.run })
  })
})

describe('records', () => {
  it('an etag comes with a record, and takes it back', async () => {
    for (const path of [
      `/v1/jobs/${own.job}`,
      `/v1/documents/${own.doc}`,
      `/v1/runs/${own.run}`,
      `/v1/workstreams/${own.workstream}`,
      `/v1/schedules/${own.schedule}`,
    ]) {
      const { headers, json } = await get(path)
      expect(headers.etag).toBe(`"${json.etag}"`)
    }
  })

  it.each<[string, (own: Possessions) => readonly [method: string, path: string, body: unknown]]>([
    ['job', ({ job }) => ['POST', `/v1/jobs/${job}:annotate`, { metadata: { a: 1 } }]],
    ['cancelling a job', ({ job }) => ['POST', `/v1/jobs/${job}:cancel`, {}]],
    ['expediting a job', ({ job }) => ['POST', `/v1/jobs/${job}:expedite`, {}]],
    ['document', ({ doc }) => ['POST', `/v1/documents/${doc}:move`, { state: 'fetched' }]],
    ['run', ({ run }) => ['POST', `/v1/runs/${run}:annotate`, { metadata: { a: 1 } }]],
    ['sealing a run', ({ run }) => ['POST', `/v1/runs/${run}:seal`, {}]],
    ['moving a run', ({ run }) => ['POST', `/v1/runs/${run}:move`, { state: 'running' }]],
    [
      'workstream',
      ({ workstream }) => ['POST', `/v1/workstreams/${workstream}:annotate`, { metadata: { a: 1 } }],
    ],
    ['pausing a schedule', ({ schedule }) => ['POST', `/v1/schedules/${schedule}:pause`, {}]],
    ['removing a schedule', ({ schedule }) => ['DELETE', `/v1/schedules/${schedule}`, {}]],
  ])('A18: a stale etag changes nothing: %s', async (_what, of) => {
    const [method, path, body] = of(own)
    const [before, past] = [await http.records(), (await asker.refusals()).length]
    const headers = { 'if-match': '"stale"' }
    const { status, json } = await http.as('acme.operator', method, path, { body, headers })
    expect([status, json.code]).toEqual([412, 'STALE_ETAG'])
    expect(await http.records()).toBe(before)
    expect(await asker.refusals()).toHaveLength(past + 1)
  })

  it('A30: an edge that is not there is refused with 409, naming both states, and recorded', async () => {
    const { status, json } = await post(`/v1/documents/${own.doc}:move`, { state: 'ir_ready' })
    expect([status, json.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
    expect(json.detail).toMatch(/fetching.*ir_ready/)
    expect((await asker.refusals()).at(-1)).toMatchObject({
      id: own.doc,
      old_state: 'fetching',
      new_state: 'ir_ready',
    })
    expect((await post(`/v1/documents/${own.doc}:move`, { state: 'nowhere' })).status).toBe(409)
  })

  it('many documents are moved, each by itself, and it is said which were refused and why', async () => {
    const updates = [
      { doc_id: 'm-1', state: 'fetching' },
      { doc_id: 'm-2', state: 'completed' },
      { doc_id: 'm-1', state: 'fetched' },
    ]
    const { json } = await post('/v1/documents:move', { updates })
    expect(json).toMatchObject({ updated: 2, refused: 1, refusals: [{ index: 1, doc_id: 'm-2' }] })
    expect(json.refusals[0].error).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      next: expect.any(String),
    })
    expect((await get('/v1/documents/m-1')).json.state).toBe('fetched')
    const history = await get('/v1/documents/m-1/history')
    expect(history.json.items.map((one: { new_state: string }) => one.new_state)).toEqual([
      'fetching',
      'fetched',
    ])
  })

  it('a document is told as it was, and those that stay too long are found', async () => {
    await http.world.clock.advanceBy(5 * 3_600_000)
    const at = new Date(http.world.clock.now() - 3_600_000).toISOString()
    expect((await get('/v1/documents/m-1', { at })).json).toMatchObject({ state: 'fetched' })
    const early = await get('/v1/documents/m-1', { at: '2000-01-01T00:00:00Z' })
    expect(early.status).toBe(404)
    const { json } = await get('/v1/stuck', { hours: '5' })
    expect(json.items.map((one: { doc_id: string }) => one.doc_id)).toContain('m-1')
    expect((await get('/v1/stuck', { hours: '6' })).json.items).toEqual([])
    expect((await get('/v1/stuck', { hours: '-1' })).status).toBe(422)
    expect((await get('/v1/stuck', { hours: '0', limit: '1' })).json).toMatchObject({ is_more: true })
  })

  it('why says what a job waits for, and steps and stats say what there is', async () => {
    const why = await get(`/v1/jobs/${own.job}/why`)
    expect(why.json).toMatchObject({ job_id: own.job })
    const steps = await get(`/v1/jobs/${own.job}/steps`, { fields: 'step_id' })
    expect(steps.json.items).toEqual([{ step_id: 'ocr' }])
    const { json } = await get('/v1/stats')
    expect(json.counts.document).toMatchObject({ fetching: 1, completed: 0 })
    expect(json).not.toHaveProperty('ledger')
    expect((await http.as('viewer', 'GET', '/v1/stats')).json).toHaveProperty('ledger')
    const waiting = await get(`/v1/jobs/${own.job}/result`, { wait_ms: '1' })
    expect([waiting.status, waiting.json.code]).toEqual([504, 'WAIT_OVER'])
    expect((await get(`/v1/jobs/${own.job}/result`, { wait_ms: '60001' })).status).toBe(422)
  })

  it('audit is filtered and counted', async () => {
    const { json } = await get('/v1/audit', { kind: 'document', event: 'refused', fields: 'id,event' })
    expect(json.items).toContainEqual({ id: 'm-2', event: 'refused' })
    const counts = await get('/v1/audit/counts', { by: 'kind,event', kind: 'document' })
    expect(counts.json.items).toContainEqual({ kind: 'document', event: 'moved', count: expect.any(Number) })
    const durations = await get('/v1/audit/durations', { kind: 'document', by: 'state' })
    expect(durations.json.items[0]).toMatchObject({ state: expect.any(String), count: expect.any(Number) })
  })

  it('queues are paused, limited and resumed', async () => {
    const steer = (verb: string, body: object = {}) =>
      http.as('operator', 'POST', `/v1/queues/two:${verb}`, { body, query: { reason: 'maintenance' } })
    expect((await steer('pause')).json.state).toBe('paused')
    expect((await steer('limit', { concurrency: 3 })).json.concurrency).toBe(3)
    expect((await steer('limit', { concurrency: 0 })).status).toBe(422)
    expect((await steer('resume')).json.state).toBe('running')
    expect((await http.as('viewer', 'GET', '/v1/queues/nowhere')).status).toBe(404)
    const { items } = await http.ledger.audit.query({ kind: 'queue', id: 'two' })
    expect(items[0]).toMatchObject({ actor: 'operator', reason: 'maintenance' })
  })

  it('a schedule is put, read and removed', async () => {
    const path = '/v1/schedules/nightly'
    const request = {
      request_type: 'WORK',
      input_ref: 'i',
      output_ref: 'o',
      payload: {},
      schema_version: 'v1',
    }
    const put = (body: unknown) => http.as('acme.operator', 'PUT', path, { body })
    expect((await put({ cron: '0 3 * * *', request })).json.state).toBe('active')
    expect((await put({ cron: 'now and then', request })).status).toBe(422)
    expect((await put({ cron: '0 3 * * *', timezone: 'Mars/Olympus', request })).status).toBe(422)
    expect((await put({ cron: '0 3 * * *', request: { ...request, request_type: 'WHAT' } })).status).toBe(400)
    expect((await put({ cron: '0 3 * * *', request: { ...request, tenant_id: 'other' } })).status).toBe(422)
    expect((await http.as('acme.operator', 'DELETE', path)).json.state).toBe('removed')
  })

  it('A52: stages are reported as the document of the scheduler has it', async () => {
    const tell = (verb: string, body: object) =>
      http.as('acme.worker', 'POST', `/v1/stages/${own.staged}:${verb}`, { body })
    const prepared = await tell('prepareRun', {
      pipeline_name: 'pdf-two-phase',
      pipeline_version: 'v2',
      context: { a: 1 },
    })
    expect(prepared.json.entry).toMatchObject({
      status: 'processing',
      stage: 'bootstrap',
      pipeline_name: 'pdf-two-phase',
    })
    await tell('stageStarted', { stage: 'chunk' })
    await tell('recordRetry', { stage: 'chunk', error: 'once' })
    const done = await tell('stageSucceeded', {
      stage: 'chunk',
      attempts: 2,
      output_count: 5,
      duration_ms: 1200,
    })
    expect(done.json.entry.metadata).toMatchObject({
      'stage.chunk.attempts': 2,
      'stage.chunk.output_count': 5,
    })
    expect((await tell('completeRun', {})).json.entry.status).toBe('completed')
    expect((await tell('stageStarted', { stage: 'late' })).status).toBe(409)
    expect(
      (await http.as('acme.worker', 'POST', '/v1/stages/nowhere:completeRun', { body: {} })).json,
    ).toEqual({ entry: null })
    expect((await tell('stageStarted', {})).status).toBe(422)
    expect((await tell('nothing', {})).status).toBe(404)
  })
})

describe('Idempotency-Key', () => {
  it.each<[string, string, () => unknown, string]>([
    ['a job', '/v1/commands', () => envelope({ payload: { language_hint: 'keyed' } }), 'jobId'],
    ['a run', '/v1/runs', () => ({ metadata: { a: 1 } }), 'run_id'],
    ['a workstream', '/v1/workstreams', () => ({}), 'workstream_id'],
    ['a job again', '', () => ({}), 'jobId'],
  ])('%s is made once, however often it is asked for', async (what, path, body, id) => {
    const to = path === '' ? `/v1/jobs/${own.doneJob}:again` : path
    const headers = { 'idempotency-key': `key of ${what}` }
    const first = await post(to, body(), headers)
    expect([201, 202]).toContain(first.status)
    const before = await http.records()
    const again = await Promise.all(Array.from({ length: 5 }, () => post(to, body(), headers)))
    for (const { status, json } of again) expect([status, json[id]]).toEqual([first.status, first.json[id]])
    expect(await http.records()).toBe(before)
    const other = await post(to, body(), { 'idempotency-key': `another key of ${what}` })
    if (what !== 'a job') expect(other.json[id]).not.toBe(first.json[id])
  })

  it('documents are moved once under a key, one or many', async () => {
    const one = () => post('/v1/documents/k-1:move', { state: 'fetching' }, { 'idempotency-key': 'move one' })
    const first = await one()
    const before = await http.records()
    expect((await one()).json).toEqual(first.json)
    expect(await http.records()).toBe(before)
    // The key was passed over where there were many: a repeated request was refused, or moved them twice.
    const updates = [
      { doc_id: 'k-2', state: 'fetching' },
      { doc_id: 'k-2', state: 'fetched' },
      { doc_id: 'k-3', state: 'fetching' },
    ]
    const many = () => post('/v1/documents:move', { updates }, { 'idempotency-key': 'move many' })
    expect((await many()).json).toMatchObject({ updated: 3, refused: 0 })
    const after = await http.records()
    expect((await many()).json).toMatchObject({ updated: 3, refused: 0 })
    expect(await http.records()).toBe(after)
  })

  it.each(['', ' ', 'x'.repeat(513)])('a key that is none is refused: %j', async (key) => {
    for (const path of ['/v1/commands', '/v1/runs', `/v1/jobs/${own.doneJob}:again`]) {
      const body = path === '/v1/commands' ? envelope({ payload: { language_hint: 'bad key' } }) : {}
      const { status, json } = await asker.refused(() => post(path, body, { 'idempotency-key': key }))
      expect([status, json.code]).toEqual([422, 'INVALID_INPUT'])
    }
  })
})
