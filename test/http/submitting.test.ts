import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Asker, askerOf } from './asker.ts'
import { envelope, type HttpLedger, httpLedger, OURS } from './http-ledger.ts'

let http: HttpLedger
let asker: Asker

beforeAll(async () => {
  http = await httpLedger({
    settings: { inFlightLimit: 10_000, tenantInFlightLimits: { small: 1, burst: 1 } },
  })
  asker = askerOf(http)
})
afterAll(() => http[Symbol.asyncDispose]())

it('A1: a minimal envelope is accepted with 202 and the id of its job', async () => {
  const { status, json } = await asker.submit()
  expect({ status, json }).toEqual({
    status: 202,
    json: { jobId: expect.any(String), duplicate: false, differing: [] },
  })
  expect(await asker.job(json.jobId)).toMatchObject({ state: 'DISPATCHING', request_type: 'OCR' })
})

it.each<[string, object, string]>([
  ['no tenant_id', { tenant_id: undefined }, 'tenant_id'],
  ['an empty tenant_id', { tenant_id: '' }, 'tenant_id'],
  ['a tenant_id of the wrong type', { tenant_id: 7 }, 'tenant_id'],
  ['no request_type', { request_type: undefined }, 'request_type'],
  ['an empty request_type', { request_type: '' }, 'request_type'],
  ['a request_type of the wrong type', { request_type: ['OCR'] }, 'request_type'],
  ['no input_ref', { input_ref: undefined }, 'input_ref'],
  ['an object ref without uri', { input_ref: { checksum: 'x' } }, 'input_ref'],
  ['a negative size', { output_ref: { uri: 'u', size_bytes: -1 } }, 'output_ref'],
  ['another schema_version', { schema_version: 'v2' }, 'schema_version'],
  ['no payload', { payload: undefined }, 'payload'],
  ['an unknown field', { surprise: 1 }, 'surprise'],
  ['a protocol of its own', { protocol: { protocol_id: 'x', request_type: 'OCR', steps: [] } }, 'protocol'],
  ['half a character', { payload: { a: 'x\ud800' } }, 'payload'],
])('A2: %s is refused with 422, naming the field; nothing is written', async (_what, wrong, field) => {
  const { status, json } = await asker.refused(() => asker.submit(wrong))
  expect({ status, code: json.code }).toEqual({ status: 422, code: 'INVALID_INPUT' })
  expect(json.field).toMatch(new RegExp(`^${field}`))
  expect(json.next).toMatch(/\w/)
})

it.each([[null], [[]], ['text'], [7]])('A2: a body of %j is refused', async (body) => {
  const { status } = await asker.refused(() => asker.post('/v1/commands', JSON.stringify(body)))
  expect(status).toBe(422)
})

it('A3: an unknown request type is refused with 400', async () => {
  const { status, json } = await asker.refused(() => asker.submit({ request_type: 'WHAT' }))
  expect({ status, code: json.code }).toEqual({ status: 400, code: 'UNKNOWN_REQUEST_TYPE' })
})

it('A3: a payload that does not fit the schema of its step is refused with 422', async () => {
  const { status, json } = await asker.refused(() => asker.submit({ payload: { output_format: 'XML' } }))
  expect({ status, code: json.code }).toEqual({ status: 422, code: 'INVALID_INPUT' })
  expect(json.field).toContain('output_format')
})

it('A4: the same body twice is one job, and the second is told so', async () => {
  const body = envelope({ payload: { language_hint: 'twice' } })
  const first = await asker.post('/v1/commands', body)
  const second = await asker.refused(() => asker.post('/v1/commands', body))
  expect(second.json).toEqual({ jobId: first.json.jobId, duplicate: true, differing: [] })
  const { steps, outbox } = await asker.job(first.json.jobId)
  expect([steps.length, outbox.length]).toEqual([1, 1])
})

it('A4: a hundred identical requests at once are one job', async () => {
  const body = envelope({ payload: { language_hint: 'hundred' } })
  const answers = await Promise.all(Array.from({ length: 100 }, () => asker.post('/v1/commands', body)))
  expect(new Set(answers.map(({ json }) => json.jobId)).size).toBe(1)
  expect(answers.filter(({ json }) => json.duplicate === false)).toHaveLength(1)
  expect(answers.every(({ status }) => status === 202)).toBe(true)
})

it('A5: order of keys, nulls and the form of numbers make no other request; order of lists does', async () => {
  const same = [
    `{"tenant_id":"${OURS}","request_type":"SIS","input_ref":"i","output_ref":"ö","payload":{"temperature":1.0,"prompt_set":"ä"},"schema_version":"v1"}`,
    `{"schema_version":"v1","payload":{"prompt_set":"ä","temperature":1e0},"output_ref":"ö","input_ref":"i","request_type":"SIS","tenant_id":"${OURS}","doc_id":null}`,
    `{"schema_version":"v1","payload":{"prompt_set":"\\u00e4","temperature":1},"output_ref":"ö","input_ref":"i","request_type":"SIS","tenant_id":"${OURS}"}`,
  ]
  const ids = []
  for (const body of same) ids.push((await asker.post('/v1/commands', body)).json.jobId)
  expect(new Set(ids).size).toBe(1)
  const one = await asker.submit({ request_type: 'WORK', payload: { of: [1, 2] } })
  const other = await asker.submit({ request_type: 'WORK', payload: { of: [2, 1] } })
  expect(one.json.jobId).not.toBe(other.json.jobId)
})

it('A7: a known key with another body is answered with its job and what differs', async () => {
  const first = await asker.submit({}, { headers: { 'idempotency-key': 'k-1' } })
  const second = await asker.submit({}, { headers: { 'idempotency-key': 'k-1' } })
  expect(second.json).toEqual({ jobId: first.json.jobId, duplicate: true, differing: ['payload'] })
  const third = await asker.submit({ idempotency_key: 'k-1', input_ref: 'other' })
  expect(third.json.differing).toEqual(['input_ref', 'payload'])
})

it('A7: strictly, it is refused with 409', async () => {
  await using strict = await httpLedger({ settings: { strictIdempotency: true } })
  const send = (input_ref: string) =>
    strict.as('operator', 'POST', '/v1/commands', { body: envelope({ idempotency_key: 'k', input_ref }) })
  await send('a')
  const { status, json } = await send('b')
  expect({ status, code: json.code }).toEqual({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  expect((await send('a')).json.duplicate).toBe(true)
})

it('A8: routing is what it is by the library', async () => {
  const { json } = await asker.submit({ tenant_id: ' TenantA ' })
  expect(await asker.job(json.jobId, ' TenantA ')).toMatchObject({
    routing_key_used: 'tenanta',
    lane: 3,
    resolved_mode: 'DEFAULT',
  })
  const burst = await asker.submit({ tenant_id: ' TenantA ', mode: 'BURST', doc_id: 'Doc-99' })
  expect(await asker.job(burst.json.jobId, ' TenantA ')).toMatchObject({
    routing_key_used: 'tenantadoc-99',
    lane: 9,
  })
})

it('A8: BURST without a document is refused with 400, and takes no place', async () => {
  const { status, json } = await asker.submit({ tenant_id: 'burst', mode: 'BURST' })
  expect({ status, code: json.code }).toEqual({ status: 400, code: 'DOC_ID_REQUIRED' })
  expect((await asker.submit({ tenant_id: 'burst' })).status).toBe(202)
})

it('A9: at the limit the next one is refused with 429 and Retry-After; a place that gets free is taken', async () => {
  const first = await asker.submit({ tenant_id: 'small' })
  const { status, json, headers } = await asker.submit({ tenant_id: 'small' })
  expect({ status, code: json.code }).toEqual({ status: 429, code: 'IN_FLIGHT_LIMIT' })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  // A duplicate is answered even there.
  const known = await asker.job(first.json.jobId, 'small')
  const again = await asker.submit({ tenant_id: 'small', payload: known.payload })
  expect(again.json).toMatchObject({ duplicate: true, jobId: first.json.jobId })
  await http.as('operator', 'POST', `/v1/jobs/${first.json.jobId}:cancel`, {
    query: { tenant_id: 'small' },
  })
  expect((await asker.submit({ tenant_id: 'small' })).status).toBe(202)
})

it('several at once are made, all or none', async () => {
  const two = [
    envelope({ job_id: 'b-1', payload: { language_hint: 'b1' } }),
    envelope({ job_id: 'b-2', payload: { language_hint: 'b2' }, depends_on: ['b-1'] }),
  ]
  const { status, json } = await asker.post('/v1/commands:batch', { commands: two })
  expect([status, json.jobs.map((one: { jobId: string }) => one.jobId)]).toEqual([202, ['b-1', 'b-2']])
  const bad = [
    envelope({ job_id: 'b-3', payload: { language_hint: 'b3' } }),
    envelope({ request_type: 'WHAT' }),
  ]
  const before = await http.records()
  expect((await asker.post('/v1/commands:batch', { commands: bad })).status).toBe(400)
  expect(await http.records()).toBe(before)
})

it('several at once under one key are as many jobs, and the same ones again', async () => {
  // Each was given the key as its own, so that all but the first were taken for repetitions of it and lost.
  const commands = ['x', 'y', 'z'].map((hint) => envelope({ payload: { language_hint: `one key ${hint}` } }))
  const send = () =>
    asker.post('/v1/commands:batch', { commands }, { headers: { 'idempotency-key': 'batch-1' } })
  const first = await send()
  const ids = first.json.jobs.map((one: { jobId: string }) => one.jobId)
  expect(new Set(ids).size).toBe(3)
  expect(first.json.jobs.map((one: { duplicate: boolean }) => one.duplicate)).toEqual([false, false, false])
  const second = await asker.refused(send)
  expect(second.json.jobs).toEqual(ids.map((jobId: string) => ({ jobId, duplicate: true, differing: [] })))
})
