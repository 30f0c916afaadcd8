import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Asker, askerOf } from './asker.ts'
import { type HttpLedger, httpLedger, OURS } from './http-ledger.ts'

let http: HttpLedger
let asker: Asker

beforeAll(async () => {
  http = await httpLedger({
    settings: { inFlightLimit: 10_000, tenantInFlightLimits: { small: 1, burst: 1 } },
  })
  asker = askerOf(http)
})
afterAll(() => http[Symbol.asyncDispose]())

it('A16: a queued job is cancelled at once; one that runs is stopping until its worker says so', async () => {
  const waiting = await asker.submit({ request_type: 'TWO' })
  const cancel = (id: string) =>
    http.as('operator', 'POST', `/v1/jobs/${id}:cancel`, { query: { tenant_id: OURS } })
  expect((await cancel(waiting.json.jobId)).json.state).toBe('CANCELLED')
  const { json } = await asker.submit({ request_type: 'WORK', job_id: 'to-stop' })
  const work = await claimOnly('work', json.jobId)
  expect((await cancel(json.jobId)).json.state).toBe('CANCELLING')
  const { tenant_id, jobId, stepId, attempt_no, lease_id } = work
  const beat = await asker.post(
    '/v1/callbacks/heartbeat',
    { tenant_id, jobId, stepId, attempt_no, lease_id },
    {},
    'worker',
  )
  expect(beat.json.cancel).toBe(true)
  const end = { tenant_id, jobId, stepId, attempt_no, lease_id, status: 'SUCCEEDED', output: null }
  await asker.post('/v1/callbacks/result', end, {}, 'worker')
  expect((await asker.job(json.jobId)).state).toBe('CANCELLED')
  const ended = await cancel(json.jobId)
  expect([ended.status, ended.json.state]).toEqual([200, 'CANCELLED'])
})

/** Claims until this job comes. */
async function claimOnly(queue: string, job_id: string) {
  for (;;) {
    const { json } = await asker.post('/v1/work/claim', { queues: [queue], tenant_id: OURS }, {}, 'worker')
    if (json.work.length === 0) throw new Error('There is no more work')
    if (json.work[0].jobId === job_id) return json.work[0]
  }
}

it('A18: a stale etag is refused with 412; nothing changes but the history, which says so', async () => {
  const { json } = await asker.submit()
  const read = await http.as('viewer', 'GET', `/v1/jobs/${json.jobId}`, { query: { tenant_id: OURS } })
  const etag = read.headers.etag as string
  const annotate = (given: string) =>
    http.as('operator', 'POST', `/v1/jobs/${json.jobId}:annotate`, {
      query: { tenant_id: OURS },
      headers: { 'if-match': given },
      body: { metadata: { note: given } },
    })
  expect((await annotate(etag)).status).toBe(200)
  const [before, past] = [await http.records(), await asker.refusals()]
  const stale = await annotate(etag)
  expect([stale.status, stale.json.code]).toEqual([412, 'STALE_ETAG'])
  expect(await http.records()).toBe(before)
  const after = await asker.refusals()
  expect(after.length).toBe(past.length + 1)
  expect(after.at(-1)).toMatchObject({ actor: 'operator', id: json.jobId })
  for (const form of ['*', 'W/"1"', 'bare', '"a", "b"', '""']) {
    const answer = await annotate(form)
    expect(form === '""' ? answer.status === 412 : answer.status === 422).toBe(true)
  }
})

it('A20: admin routes that are switched off are not there; a wrong key is refused with 401', async () => {
  await using off = await httpLedger({ serve: { admin: false } })
  for (const [method, path] of [
    ['GET', '/v1/admin/tokens'],
    ['POST', '/v1/admin/tokens'],
    ['GET', '/v1/admin/tokens/x'],
    ['POST', '/v1/admin/tokens/x:revoke'],
    ['POST', '/v1/admin/compact'],
    ['POST', '/v1/admin/check'],
  ] as const) {
    const asked = method === 'POST' ? { body: {} } : {}
    const absent = await off.as('admin', method, path, asked)
    expect([absent.status, absent.json.code]).toEqual([404, 'UNKNOWN_PATH'])
    const wrong = await http.ask(method, path, {
      ...asked,
      token: `wb_${'0'.repeat(12)}_${'x'.repeat(43)}`,
    })
    expect([wrong.status, wrong.json.code]).toEqual([401, 'UNAUTHENTICATED'])
    await http.world.clock.advanceBy(10_000)
  }
})

it('A21: claimed work says everything that a directive says', async () => {
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const { json } = await asker.submit(
    { request_type: 'WORK', correlation_id: 'c-1', payload: { n: 1 } },
    { headers },
  )
  const work = await claimOnly('work', json.jobId)
  expect(work).toEqual({
    jobId: json.jobId,
    tenant_id: OURS,
    stepId: 'do',
    protocol_id: 'work.v1',
    step_type: 'DO',
    attempt_no: 1,
    lease_id: expect.any(String),
    input_ref: 's3://in/1',
    workspace_ref: null,
    output_ref: 's3://out/1',
    payload: { n: 1 },
    callback_urls: null,
    mode: 'DEFAULT',
    lane: expect.any(Number),
    routing_key_used: OURS,
    correlation_id: 'c-1',
    traceparent: headers.traceparent,
    queue: 'work',
    previous: null,
    attempts_left: 2,
    lease_expires_at: expect.any(String),
    lease_ms: 15 * 60_000,
  })
})

it('A22: the protocols that are registered are listed', async () => {
  const { json } = await http.as('acme.viewer', 'GET', '/v1/protocols')
  const known = json.items.map((one: { protocol_id: string; request_type: string }) => [
    one.protocol_id,
    one.request_type,
  ])
  expect(known).toEqual(
    expect.arrayContaining([
      ['atomic-ocr.v1', 'OCR'],
      ['atomic-embedding.v1', 'EMBEDDING'],
      ['atomic-sis.v1', 'SIS'],
      ['ocr-embedding.v1', 'OCR->EMBEDDING'],
      ['embedding-sis.v1', 'EMBEDDING->SIS'],
      ['ocr-embedding-sis.v1', 'OCR->EMBEDDING->SIS'],
    ]),
  )
})
