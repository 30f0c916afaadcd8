import { describe, expect, it } from 'vitest'
import type { OutboxRecord } from '../../core/job/record.ts'
import type { JsonObject } from '../../core/json.ts'
import { openLedger } from '../../open-ledger.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { keysOf } from '../../wire/secrets.ts'
import { signatureHeaders } from '../../wire/sign.ts'
import { type CallbackOptions, callbackHandler } from './callback-handler.ts'

const SECRET = 'what the services sign with'
const CHAIN = {
  protocol_id: 'ocr-embedding.v1',
  request_type: 'OCR->EMBEDDING',
  steps: [
    { step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' },
    { step_id: 'embedding', step_type: 'EMBEDDING', service: 'embedding', delivery: 'push' },
  ],
} as const

async function setUp(options: Partial<CallbackOptions> = {}) {
  const world = virtualWorld()
  const ledger = await openLedger('memory:', { world })
  ledger.jobs.register(CHAIN)
  const { job_id } = await ledger.jobs.submit({
    tenant_id: 't1',
    request_type: CHAIN.request_type,
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
  })
  const [row] = (await ledger.jobs.takeDirectives({ services: ['ocr'] })) as [OutboxRecord]
  const { clock, logger } = world
  const handler = callbackHandler(ledger.jobs, { secrets: SECRET, clock, logger, ...options })
  const attempt = { tenant_id: 't1', jobId: job_id, stepId: 'ocr', attempt_no: 1, lease_id: row.lease_id }
  const job = () => ledger.jobs.show(job_id, 't1')

  async function call(name: string, body: unknown, { secret = SECRET, at = clock.now() } = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = signatureHeaders({ id: 'm1', body: text }, keysOf(secret), at)
    const url = `http://127.0.0.1/v1/callbacks/${name}`
    const response = await handler(new Request(url, { method: 'POST', headers, body: text }))
    return { status: response.status, body: (await response.json()) as JsonObject }
  }

  /** Sends it, and sees that the ledger is as it was before. */
  async function refused(name: string, body: unknown, options = {}) {
    const before = await job()
    const answer = await call(name, body, options)
    expect(await job()).toEqual(before)
    expect(answer.body).toMatchObject({ status: answer.status, next: expect.any(String) })
    return answer
  }

  return { world, ledger, job_id, row, attempt, handler, call, refused, job }
}

const SUCCEEDED = { status: 'SUCCEEDED', output: { pages: 3 }, output_ref: 's3://texts/1' }

const FAILED = { status: 'FAILED', failure_class: 'NON_RETRYABLE' } as const

describe('A12 callbacks', () => {
  it('ACK begins the step, and says how long it may take', async () => {
    const { call, attempt, job } = await setUp()
    expect(await call('ack', attempt)).toEqual({
      status: 200,
      body: {
        status: 'accepted',
        cancel: false,
        lease_expires_at: '2025-01-02T03:19:05.000Z',
        lease_ms: 15 * 60_000,
      },
    })
    expect(await job()).toMatchObject({
      job: { state: 'IN_PROGRESS' },
      steps: [{ state: 'IN_PROGRESS' }, {}],
    })
  })

  it('a heartbeat extends the lease', async () => {
    const { world, call, attempt } = await setUp()
    await call('ack', attempt)
    await world.advanceBy(10 * 60_000)
    const { body } = await call('heartbeat', attempt)
    expect(body).toMatchObject({ status: 'accepted', lease_expires_at: '2025-01-02T03:29:05.000Z' })
  })

  it('RESULT may come before ACK, and hands over to the next step', async () => {
    const { call, attempt, job, ledger, job_id } = await setUp()
    expect(await call('result', { ...attempt, ...SUCCEEDED })).toMatchObject({
      status: 200,
      body: { status: 'accepted', cancel: false },
    })
    expect(await job()).toMatchObject({
      job: { current_step_id: 'embedding' },
      steps: [
        { state: 'SUCCEEDED', output: { pages: 3 }, result_ref: 's3://texts/1' },
        { input_ref: 's3://texts/1' },
      ],
    })
    const actors = new Set<string | null>()
    for await (const { actor } of ledger.jobs.history(job_id, 't1')) actors.add(actor)
    expect(actors).toContain('service')
  })

  it('RESULT may say more, good or bad: it stays with the job', async () => {
    for (const result of [SUCCEEDED, { ...FAILED, error: { code: 'X', message: 'x' } }]) {
      const { call, attempt, job } = await setUp()
      expect((await call('result', { ...attempt, ...result, metadata: { model: 'm' } })).status).toBe(200)
      expect(await job()).toMatchObject({ job: { metadata: { model: 'm' } } })
    }
    const { call, attempt } = await setUp()
    expect((await call('result', { ...attempt, ...SUCCEEDED, metadata: 'm' })).status).toBe(400)
    expect((await call('result', { ...attempt, ...SUCCEEDED, output_count: -1 })).status).toBe(400)
  })

  it('RESULT FAILED has the class and the error', async () => {
    const { call, attempt, job } = await setUp()
    const error = { code: 'UNREADABLE', message: 'not a PDF', details: { page: 1 } }
    const failed = { ...attempt, status: 'FAILED', failure_class: 'NON_RETRYABLE', error }
    expect((await call('result', failed)).status).toBe(200)
    expect(await job()).toMatchObject({
      job: { state: 'FAILED_FINAL', error_code: 'UNREADABLE', error_message: 'not a PDF' },
    })
  })

  it('RESULT RELEASED gives the step back, at no cost of an attempt', async () => {
    const { call, attempt, job } = await setUp()
    await call('ack', attempt)
    const released = { ...attempt, status: 'RELEASED', reason: 'deployment' }
    expect((await call('result', released)).status).toBe(200)
    expect(await job()).toMatchObject({ steps: [{ state: 'DISPATCHING', attempt_no: 2, released: 1 }, {}] })
    expect((await call('result', released)).status).toBe(409)
  })

  it('null stands for absent, and what came with the directive may come back', async () => {
    const { call, attempt, job } = await setUp()
    const body = { ...attempt, status: 'SUCCEEDED', output: null, output_ref: null, failure_class: null }
    const more = { error: null, correlation_id: 'c-1', traceparent: null }
    expect((await call('result', { ...body, ...more })).status).toBe(200)
    expect(await job()).toMatchObject({ steps: [{ state: 'SUCCEEDED', output: null }, {}] })
  })

  it('repeated ones are ignored, and say so', async () => {
    const { call, attempt } = await setUp()
    await call('ack', attempt)
    expect(await call('ack', attempt)).toEqual({ status: 200, body: { status: 'ignored', cancel: false } })
    await call('result', { ...attempt, ...SUCCEEDED })
    const again = { status: 200, body: { status: 'ignored', cancel: false } }
    expect(await call('result', { ...attempt, ...SUCCEEDED })).toEqual(again)
    expect(await call('heartbeat', attempt)).toEqual(again)
  })

  it('the answer tells a worker of a cancelled job to stop', async () => {
    const { call, attempt, ledger, job_id } = await setUp()
    await call('ack', attempt)
    await ledger.jobs.cancel(job_id, { tenant_id: 't1' })
    expect((await call('heartbeat', attempt)).body).toMatchObject({ status: 'accepted', cancel: true })
  })

  it.each([
    ['attempt_no', { attempt_no: 2 }],
    ['lease_id', { lease_id: 'another' }],
  ])('another %s is a conflict, and is recorded', async (field, wrong) => {
    const { refused, attempt, ledger, job_id } = await setUp()
    for (const name of ['ack', 'heartbeat', 'result']) {
      const body = { ...attempt, ...wrong, ...(name === 'result' ? SUCCEEDED : null) }
      expect(await refused(name, body)).toMatchObject({
        status: 409,
        body: { code: 'LEASE_MISMATCH', field },
      })
    }
    const events: string[] = []
    for await (const { event } of ledger.jobs.history(job_id, 't1')) events.push(event)
    expect(events.filter((event) => event === 'refused')).toHaveLength(3)
  })

  it('an unknown job, an unknown step and another tenant are all alike', async () => {
    const { refused, attempt } = await setUp()
    const told = []
    for (const wrong of [{ jobId: 'nobody' }, { stepId: 'nothing' }, { tenant_id: 't2' }]) {
      const body = { ...attempt, ...wrong }
      const { status, body: problem } = await refused('ack', body)
      const text = JSON.stringify(problem).replaceAll(body.jobId, 'JOB').replaceAll(body.stepId, 'STEP')
      told.push([status, text])
    }
    expect(told[0]?.[0]).toBe(404)
    expect(told[0]?.[1]).toContain('"field":"jobId"')
    expect(new Set(told.map(String)).size).toBe(1)
  })
})

describe('A12 a field that is missing or wrong is a bad request, which names it', () => {
  const attempt = ['tenant_id', 'jobId', 'stepId', 'attempt_no', 'lease_id']
  it.each(attempt.flatMap((field) => ['ack', 'heartbeat', 'result'].map((name) => [name, field] as const)))(
    '%s without %s',
    async (name, field) => {
      const { refused, attempt } = await setUp()
      const { [field as 'jobId']: _, ...rest } = attempt
      const answer = await refused(name, { ...rest, ...(name === 'result' ? SUCCEEDED : null) })
      expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_MESSAGE', field } })
    },
  )

  it.each([
    ['ack', { attempt_no: '1' }, 'attempt_no'],
    ['ack', { attempt_no: -1 }, 'attempt_no'],
    ['ack', { attempt_no: 1.5 }, 'attempt_no'],
    ['ack', { jobId: '' }, 'jobId'],
    ['ack', { jobId: 'a\u0000b' }, 'jobId'],
    ['ack', { lease_id: null }, 'lease_id'],
    ['ack', { output: 1 }, 'output'],
    ['result', {}, 'status'],
    ['result', { status: 'DONE' }, 'status'],
    ['result', { status: 'FAILED' }, 'failure_class'],
    [
      'result',
      { status: 'FAILED', failure_class: 'SOMETIMES', error: { code: 'C', message: 'm' } },
      'failure_class',
    ],
    ['result', { status: 'FAILED', failure_class: 'RETRYABLE' }, 'error'],
    [
      'result',
      { status: 'FAILED', failure_class: 'RETRYABLE', error: { code: '', message: 'm' } },
      'error.code',
    ],
    ['result', { status: 'FAILED', failure_class: 'RETRYABLE', error: { code: 'C' } }, 'error.message'],
    ['result', { status: 'SUCCEEDED', output_ref: '' }, 'output_ref'],
    ['result', { status: 'SUCCEEDED', output_ref: {} }, 'output_ref'],
    ['result', { status: 'SUCCEEDED', ouput: 'misspelt' }, 'ouput'],
  ])('%s with %j', async (name, wrong, field) => {
    const { refused, attempt } = await setUp()
    const answer = await refused(name, { ...attempt, ...wrong })
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_MESSAGE', field } })
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a name that reaches behind an object', '{"__proto__":{"jobId":"x"}}'],
  ])('%s', async (_, text) => {
    const { refused } = await setUp()
    expect(await refused('ack', text)).toMatchObject({ status: 400, body: { code: 'BAD_MESSAGE' } })
  })

  it('an output that cannot be stored', async () => {
    const { refused, attempt } = await setUp()
    const start = JSON.stringify({ ...attempt, status: 'SUCCEEDED' }).slice(0, -1)
    const reaching = await refused('result', `${start},"output":{"__proto__":{"a":1}}}`)
    expect(reaching).toMatchObject({ status: 400, body: { field: '__proto__' } })
    const deep = await refused('result', `${start},"output":${'['.repeat(101)}${']'.repeat(101)}}`)
    expect(deep).toMatchObject({ status: 400, body: { code: 'BAD_MESSAGE' } })
  })
})

describe('a callback from somebody else', () => {
  it('is refused when the signature is by another secret, or the body was changed', async () => {
    const { refused, attempt, handler, job, world } = await setUp()
    const secret = 'what somebody else signs with'
    expect(await refused('ack', attempt, { secret })).toMatchObject({
      status: 401,
      body: { code: 'BAD_SIGNATURE' },
    })
    const before = await job()
    const body = JSON.stringify(attempt)
    const headers = signatureHeaders({ id: 'm1', body }, keysOf(SECRET), world.clock.now())
    const changed = body.replace('"attempt_no":1', '"attempt_no":2')
    const response = await handler(
      new Request('http://127.0.0.1/ack', { method: 'POST', headers, body: changed }),
    )
    expect([response.status, await job()]).toEqual([401, before])
    expect((await handler(new Request('http://127.0.0.1/ack', { method: 'POST', body }))).status).toBe(401)
    expect(world.logged.filter(({ level }) => level === 'warn')).toHaveLength(3)
  })

  it('is refused when it was kept for too long, or is ahead of its time', async () => {
    const { refused, attempt, world } = await setUp()
    const now = world.clock.now()
    const old = { status: 401, body: { code: 'STALE_TIMESTAMP', details: { reason: 'too_old' } } }
    expect(await refused('ack', attempt, { at: now - 301_000 })).toMatchObject(old)
    const early = { status: 401, body: { code: 'STALE_TIMESTAMP', details: { reason: 'too_new' } } }
    expect(await refused('ack', attempt, { at: now + 301_000 })).toMatchObject(early)
  })

  it('is taken with the secret before and the one after', async () => {
    const { call, attempt } = await setUp({ secrets: ['the next secret, in plain text', SECRET] })
    expect((await call('ack', attempt)).status).toBe(200)
    expect((await call('ack', attempt, { secret: 'the next secret, in plain text' })).status).toBe(200)
  })
})

describe('what is no callback', () => {
  it('is not read if it is too long', async () => {
    const { refused, attempt } = await setUp({ maxBytes: 1000 })
    const long = { ...attempt, ...SUCCEEDED, output: 'x'.repeat(1000) }
    const answer = { status: 413, body: { code: 'BODY_TOO_LARGE', details: { max_bytes: 1000 } } }
    expect(await refused('result', long)).toMatchObject(answer)
  })

  it('has another path or method', async () => {
    const { handler } = await setUp()
    const ask = async (path: string, method: string) => {
      const response = await handler(new Request(`http://127.0.0.1${path}`, { method }))
      const { code } = (await response.json()) as JsonObject
      return [response.status, code, response.headers.get('allow')]
    }
    expect(await ask('/v1/callbacks/ack', 'GET')).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST'])
    expect(await ask('/ack', 'DELETE')).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST'])
    for (const path of ['/', '/ack/', '/acknowledge', '/result/1', '/toString'])
      expect(await ask(path, 'POST')).toEqual([404, 'UNKNOWN_PATH', null])
  })

  it('is answered when the ledger fails, without telling how', async () => {
    const { ledger, call, attempt, world } = await setUp()
    await ledger.close()
    expect(await call('ack', attempt)).toMatchObject({ status: 503, body: { code: 'LEDGER_CLOSED' } })
    expect(world.logged.at(-1)).toMatchObject({ level: 'error' })
    const broken = {
      ack: () => Promise.reject(new Error('swordfish')),
      heartbeat: ledger.jobs.heartbeat,
      result: ledger.jobs.result,
      release: ledger.jobs.release,
    }
    const handler = callbackHandler(broken, { secrets: SECRET })
    const body = JSON.stringify(attempt)
    const headers = signatureHeaders({ id: 'm1', body }, keysOf(SECRET), Date.now())
    const response = await handler(new Request('http://127.0.0.1/ack', { method: 'POST', headers, body }))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('swordfish')
  })
})
