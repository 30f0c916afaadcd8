import { afterAll, beforeAll, expect, it } from 'vitest'
import { keysOf } from '../../src/wire/secrets.ts'
import { signatureHeaders } from '../../src/wire/sign.ts'
import { type Asker, askerOf } from './asker.ts'
import { CALLBACK_SECRET, type HttpLedger, httpLedger, OURS, THEIRS, type TokenName } from './http-ledger.ts'

let http: HttpLedger
let asker: Asker
let made = 0

beforeAll(async () => {
  http = await httpLedger({
    settings: { inFlightLimit: 10_000, tenantInFlightLimits: { small: 1, burst: 1 } },
  })
  asker = askerOf(http)
})
afterAll(() => http[Symbol.asyncDispose]())

/** A directive that was published: what its service would report on. */
async function published(request_type = 'OCR', more: object = {}) {
  const { json } = await asker.submit({ request_type, payload: {}, input_ref: `in-${made++}`, ...more })
  return {
    jobId: json.jobId as string,
    ...(await publish(json.jobId, request_type.split('->')[0] as string)),
  }
}

async function publish(jobId: string, step_type: string) {
  const rows = await http.ledger.jobs.takeDirectives({ services: [step_type.toLowerCase()], limit: 1000 })
  for (const row of rows) await http.ledger.jobs.sent(row)
  const step = (await asker.job(jobId)).steps.find(
    (one: { step_type: string }) => one.step_type === step_type,
  )
  const { step_id: stepId, attempt_no, lease_id } = step
  return { attempt: { tenant_id: OURS, jobId, stepId, attempt_no, lease_id } }
}

const tell = (name: string, body: unknown, as: TokenName = 'worker') =>
  asker.post(`/v1/callbacks/${name}`, body, {}, as)

it('A12: ACK and RESULT are accepted, and repeated ones ignored and recorded', async () => {
  const { jobId, attempt } = await published()
  const ack = await tell('ack', attempt)
  expect({ status: ack.status, json: ack.json }).toMatchObject({
    status: 200,
    json: { status: 'accepted', cancel: false },
  })
  expect((await asker.job(jobId)).state).toBe('IN_PROGRESS')
  expect((await tell('ack', attempt)).json).toEqual({ status: 'ignored', cancel: false })
  expect((await tell('heartbeat', attempt)).json.status).toBe('accepted')
  const result = { ...attempt, status: 'SUCCEEDED', output: { pages: 3 } }
  expect((await tell('result', result)).json.status).toBe('accepted')
  expect((await tell('result', result)).json.status).toBe('ignored')
  expect(await asker.job(jobId)).toMatchObject({ state: 'SUCCEEDED', completed_at: expect.any(String) })
  const { json } = await http.as('viewer', 'GET', `/v1/jobs/${jobId}/events`, {
    query: { tenant_id: OURS },
  })
  expect(json.items.filter((one: { event: string }) => one.event === 'ignored')).toHaveLength(2)
})

it('A12: a RESULT before the ACK is accepted', async () => {
  const { attempt } = await published()
  const { status, json } = await tell('result', { ...attempt, status: 'SUCCEEDED', output: null })
  expect([status, json.status]).toEqual([200, 'accepted'])
})

it.each(['ack', 'heartbeat', 'result'])(
  'A12: %s of a wrong attempt or lease: 409, recorded',
  async (name) => {
    const { attempt } = await published()
    const more = name === 'result' ? { status: 'SUCCEEDED', output: null } : {}
    for (const wrong of [{ attempt_no: 2 }, { lease_id: 'other' }]) {
      const before = await http.records()
      const past = await asker.refusals()
      const { status, json } = await tell(name, { ...attempt, ...more, ...wrong })
      expect({ status, code: json.code }).toEqual({ status: 409, code: 'LEASE_MISMATCH' })
      expect(await http.records()).toBe(before)
      const items = await asker.refusals()
      expect(items.length).toBe(past.length + 1)
    }
  },
)

it.each(['ack', 'heartbeat', 'result'])(
  'A12: %s: another tenant, no such job, no such step: 404',
  async (name) => {
    const { attempt } = await published()
    const more = name === 'result' ? { status: 'SUCCEEDED', output: null } : {}
    const answers = [
      await tell(name, { ...attempt, ...more, tenant_id: THEIRS }),
      await tell(name, { ...attempt, ...more }, 'globex.worker'),
      await tell(name, { ...attempt, ...more, jobId: 'nowhere' }),
      await tell(name, { ...attempt, ...more, stepId: 'nowhere' }),
    ]
    expect(answers.map(({ status, json }) => `${status} ${json.code}`)).toEqual(
      Array(4).fill('404 NOT_FOUND'),
    )
    const told = answers.map(({ text, headers }) =>
      text
        .replaceAll(headers['x-request-id'] as string, '')
        .replaceAll(attempt.jobId, 'J')
        .replaceAll('nowhere', 'J')
        .replaceAll(attempt.stepId, 'J'),
    )
    expect(new Set(told).size).toBe(1)
  },
)

it.each(['tenant_id', 'jobId', 'stepId', 'attempt_no', 'lease_id'])('A12: without %s: 400', async (field) => {
  const { attempt } = await published()
  for (const name of ['ack', 'heartbeat', 'result']) {
    const body = {
      ...attempt,
      ...(name === 'result' ? { status: 'SUCCEEDED' } : null),
      [field]: undefined,
    }
    const { status, json } = await asker.refused(() => tell(name, body))
    expect({ status, code: json.code, field: json.field }).toEqual({
      status: 400,
      code: 'BAD_MESSAGE',
      field,
    })
  }
})

it('A12: a signature stands for a token, over just this body, at about this time', async () => {
  const { jobId, attempt } = await published()
  const body = JSON.stringify(attempt)
  const keys = keysOf(CALLBACK_SECRET)
  const now = http.world.clock.now()
  const send = (headers: { [name: string]: string }, sent: string | undefined = body) =>
    http.ask('POST', '/v1/callbacks/ack', { headers, body: sent })
  const signed = signatureHeaders({ id: 'm-1', body }, keys, now)
  const code = async (answer: ReturnType<typeof send>) => {
    const { status, json } = await answer
    return `${status} ${json.code}`
  }
  const before = await http.fingerprint()
  expect(await code(send({}))).toBe('401 UNAUTHENTICATED')
  expect(await code(send(signed, `${body} `))).toBe('401 BAD_SIGNATURE')
  expect(await code(send({ ...signed, 'webhook-id': 'm-2' }))).toBe('401 BAD_SIGNATURE')
  expect(await code(send({ ...signed, 'webhook-signature': 'v1,AAAA' }))).toBe('401 BAD_SIGNATURE')
  const old = signatureHeaders({ id: 'm-1', body }, keys, now - 301_000)
  expect(await code(send(old))).toBe('401 STALE_TIMESTAMP')
  const none = await http.ask('POST', '/v1/callbacks/ack', { headers: signed })
  expect(`${none.status} ${none.json.code}`).toBe('401 BAD_SIGNATURE')
  // A signature is for callbacks only.
  expect((await http.ask('GET', '/v1/jobs', { headers: signed })).status).toBe(401)
  expect((await http.ask('POST', '/v1/work/claim', { headers: signed, body })).status).toBe(401)
  expect(await http.fingerprint()).toBe(before)
  expect((await send(signed)).json.status).toBe('accepted')
  expect((await asker.job(jobId)).state).toBe('IN_PROGRESS')
})

it('A13: a step that succeeded is followed by the next, with the same lane and callback URLs', async () => {
  const callback_urls = { result: 'https://example.com/result' }
  const { jobId, attempt } = await published('OCR->EMBEDDING', { callback_urls })
  await tell('result', { ...attempt, status: 'SUCCEEDED', output: 1 })
  const between = await asker.job(jobId)
  expect(between.steps.map((one: { state: string }) => one.state)).toEqual(['SUCCEEDED', 'DISPATCHING'])
  const { payload: directive } = between.outbox.at(-1)
  expect([directive.lane, directive.callback_urls]).toEqual([between.lane, callback_urls])
  const second = await publish(jobId, 'EMBEDDING')
  await tell('result', { ...second.attempt, status: 'SUCCEEDED', output: 2 })
  expect((await asker.job(jobId)).state).toBe('SUCCEEDED')
  const { json } = await http.as('viewer', 'GET', `/v1/jobs/${jobId}/result`, {
    query: { tenant_id: OURS },
  })
  expect(json).toEqual({ output: 2 })
})

it('A14: a failure that may pass is tried again; one that may not ends the job, which says why', async () => {
  const failed = (failure_class: string) => ({
    status: 'FAILED',
    failure_class,
    error: { code: 'OOPS', message: 'it broke' },
  })
  const one = await published()
  await tell('result', { ...one.attempt, ...failed('RETRYABLE') })
  expect((await asker.job(one.jobId)).steps[0].state).toBe('FAILED_RETRY')
  await http.world.clock.advanceBy(60_000)
  await http.ledger.advance()
  const second = await publish(one.jobId, 'OCR')
  expect(second.attempt.attempt_no).toBe(2)
  expect(second.attempt.lease_id).not.toBe(one.attempt.lease_id)
  await tell('result', { ...second.attempt, ...failed('NON_RETRYABLE') })
  expect(await asker.job(one.jobId)).toMatchObject({ state: 'FAILED_FINAL', attempts_total: 2 })
  const result = await http.as('viewer', 'GET', `/v1/jobs/${one.jobId}/result`, {
    query: { tenant_id: OURS },
  })
  expect(result.status).toBe(409)
  expect(result.json).toMatchObject({ code: 'JOB_FAILED', detail: expect.stringContaining('it broke') })
})
