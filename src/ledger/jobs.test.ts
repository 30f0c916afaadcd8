import { describe, expect, it } from 'vitest'
import { openTestLedger } from '../../test/fixtures/test-ledger.ts'
import { InvalidInput, UnknownRequestType } from '../errors/input-errors.ts'
import { Conflict, InvalidRequest, LeaseMismatch, LimitReached, NotFound } from '../errors/refusal-errors.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import type { ListSteps } from './jobs.ts'
import type { Envelope } from './request.ts'

const OCR = {
  protocol_id: 'atomic-ocr.v1',
  request_type: 'OCR',
  steps: [{ step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' }],
} as const

const CHAIN = {
  protocol_id: 'chain.v1',
  request_type: 'CHAIN',
  steps: [
    { step_id: 'first', step_type: 'A', service: 'a', delivery: 'pull' },
    { step_id: 'second', step_type: 'B', service: 'b', delivery: 'pull' },
  ],
} as const

function envelope(fields: Partial<Envelope> = {}): Envelope {
  return {
    tenant_id: 't1',
    request_type: 'OCR',
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
    ...fields,
  }
}

function only<T>(items: readonly T[]): T {
  expect(items).toHaveLength(1)
  return items[0] as T
}

async function setUp(options = {}) {
  const world = virtualWorld()
  const ledger = await openTestLedger({ world, tenant_id: 't1', ...options })
  ledger.jobs.register(OCR)
  ledger.jobs.register(CHAIN)
  return { world, ledger }
}

describe('submit', () => {
  it('A1 A10 accepts a minimal envelope and dispatches its first step', async () => {
    const { ledger } = await setUp()
    const { job_id, duplicate } = await ledger.jobs.submit(envelope())
    expect(duplicate).toBe(false)
    const shown = await ledger.jobs.show(job_id)
    expect(shown).toMatchObject({
      job: { state: 'DISPATCHING', protocol_id: 'atomic-ocr.v1', attempts_total: 1 },
      steps: [{ state: 'DISPATCHING', attempt_no: 1, lease_id: expect.any(String) }],
      outbox: [{ state: 'PENDING', job_id, attempt_no: 1 }],
    })
  })

  it.each([
    ['tenant_id', { tenant_id: undefined }],
    ['tenant_id', { tenant_id: '' }],
    ['tenant_id', { tenant_id: '   ' }],
    ['tenant_id', { tenant_id: 7 }],
    ['tenant_id', { tenant_id: 'a\nb' }],
    ['idempotency_key', { idempotency_key: 'x'.repeat(513) }],
    ['input_ref.metadata.constructor', { input_ref: { uri: 'u', metadata: { constructor: 1 } } }],
    ['request_type', { request_type: undefined }],
    ['schema_version', { schema_version: 'v2' }],
    ['input_ref', { input_ref: '' }],
    ['input_ref', { input_ref: {} }],
    ['input_ref', { input_ref: { uri: 'u', size_bytes: -1 } }],
    ['output_ref', { output_ref: undefined }],
    ['payload', { payload: undefined }],
    ['payload.a', { payload: { a: Number.POSITIVE_INFINITY } }],
    ['payload.constructor', { payload: { constructor: 1 } }],
    ['priority', { priority: 'urgent' }],
    ['mode', { mode: 'FAST' }],
    ['run_at', { run_at: 'tomorrow' }],
    ['depends_on.0', { depends_on: [''] }],
    ['callback_urls.result', { callback_urls: { result: 'not a url' } }],
    ['surprise', { surprise: 1 }],
  ])('A2 refuses a bad %s, names it, and writes nothing: %j', async (field, fields) => {
    const { ledger } = await setUp()
    const error = await ledger.jobs.submit(envelope(fields as Partial<Envelope>)).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(InvalidInput)
    expect(error).toMatchObject({ status: 422, field: expect.stringContaining(field) })
    expect(await ledger.stats()).toMatchObject({ records: { job: 0, step: 0, outbox: 0 }, audit_records: 0 })
  })

  it('A3 refuses a request type that nobody answers, and lists those there are', async () => {
    const { ledger } = await setUp()
    const error = await ledger.jobs.submit(envelope({ request_type: 'NOPE' })).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(UnknownRequestType)
    expect(error).toMatchObject({
      status: 400,
      field: 'request_type',
      next: expect.stringContaining('OCR, CHAIN'),
    })
  })

  it('A4 answers 100 identical submits at once with one job', async () => {
    const { ledger } = await setUp()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ledger.jobs.submit(envelope())))
    expect(new Set(answers.map((answer) => answer.job_id)).size).toBe(1)
    expect(answers.filter((answer) => answer.duplicate)).toHaveLength(99)
    expect(await ledger.stats()).toMatchObject({ records: { job: 1, step: 1, outbox: 1 } })
  })

  it('A4 still knows the request in another month', async () => {
    const { world, ledger } = await setUp()
    const first = await ledger.jobs.submit(envelope())
    await world.advanceBy(40 * 24 * 3600 * 1000)
    expect(await ledger.jobs.submit(envelope())).toEqual({ ...first, duplicate: true })
  })

  it('A7 answers a known key with the job there is and what differs; strict refuses', async () => {
    const { ledger } = await setUp()
    const first = await ledger.jobs.submit(envelope({ idempotency_key: 'k' }))
    const other = envelope({ idempotency_key: 'k', payload: { a: 1 }, input_ref: 'elsewhere' })
    expect(await ledger.jobs.submit(other)).toMatchObject({
      tenant_id: 't1',
      job_id: first.job_id,
      duplicate: true,
      differing: ['input_ref', 'payload'],
    })
    const strict = await setUp({ strictIdempotency: true })
    await strict.ledger.jobs.submit(envelope({ idempotency_key: 'k' }))
    const error = await strict.ledger.jobs.submit(other).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(Conflict)
    expect(error).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  })

  it('A8 routes by tenant, and by document in bursts', async () => {
    const { ledger } = await setUp({ tenantModes: { t2: 'BURST' } })
    const job = async (fields: Partial<Envelope>) => {
      const request = envelope(fields)
      return ledger.jobs.get((await ledger.jobs.submit(request)).job_id, request.tenant_id)
    }
    expect(await job({ tenant_id: ' TenantA ' })).toMatchObject({
      routing_key_used: 'tenanta',
      lane: 3,
      resolved_mode: 'DEFAULT',
      decision_source: 'GLOBAL_CONFIG',
      decision_reason: 'default',
    })
    expect(await job({ tenant_id: ' TenantA ', mode: 'BURST', doc_id: 'Doc-99', payload: 2 })).toMatchObject({
      routing_key_used: 'tenantadoc-99',
      lane: 9,
      decision_source: 'REQUEST',
      decision_reason: 'request.mode',
    })
    expect(await job({ tenant_id: 't2', doc_id: 'd' })).toMatchObject({ decision_source: 'TENANT_CONFIG' })
    const refused = job({ tenant_id: 't3', mode: 'BURST' })
    await expect(refused).rejects.toThrow(InvalidRequest)
    await expect(refused).rejects.toMatchObject({ status: 400, field: 'doc_id' })
  })

  it('A9 keeps the limit of open jobs, answers duplicates at it, and frees a place at the end', async () => {
    const { ledger } = await setUp({ inFlightLimit: 1 })
    const first = await ledger.jobs.submit(envelope())
    const second = ledger.jobs.submit(envelope({ payload: { n: 2 } }))
    await expect(second).rejects.toThrow(LimitReached)
    await expect(second).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 })
    expect(await ledger.jobs.submit(envelope())).toMatchObject({ duplicate: true })
    await ledger.jobs.cancel(first.job_id)
    expect(await ledger.jobs.submit(envelope({ payload: { n: 3 } }))).toMatchObject({ duplicate: false })
  })
})

describe('delays', () => {
  it('count from the time the job is accepted, by the clock of the store', async () => {
    const { world, ledger } = await setUp()
    const now = world.clock.now()
    await ledger.jobs.submit(envelope())
    // The machine's clock is set back; the store's time is not.
    world.clock.jumpTo(now - 3_600_000)
    const { job_id } = await ledger.jobs.submit(envelope({ payload: 2, delay: 60_000 }))
    expect(await ledger.jobs.get(job_id)).toMatchObject({
      state: 'QUEUED',
      run_at: new Date(now + 60_000).toISOString(),
    })
  })
})

describe('working on jobs', () => {
  it('A13 hands out steps in order, with the output of the one before', async () => {
    const { ledger } = await setUp()
    const { job_id } = await ledger.jobs.submit(envelope({ request_type: 'CHAIN' }))
    const first = only(await ledger.jobs.claim({ queues: ['a', 'b'], worker: 'w1' }))
    expect(first).toMatchObject({
      step: { step_id: 'first', holder: 'w1', state: 'IN_PROGRESS' },
      previous: null,
    })
    expect(await ledger.jobs.claim({ queues: ['a', 'b'] })).toEqual([])
    await ledger.jobs.result(first.step, { status: 'SUCCEEDED', output: { pages: 3 } })
    const second = only(await ledger.jobs.claim({ queues: ['a', 'b'] }))
    expect(second).toMatchObject({ step: { step_id: 'second' }, previous: { pages: 3 } })
    await ledger.jobs.result(second.step, { status: 'SUCCEEDED' })
    expect(await ledger.jobs.get(job_id)).toMatchObject({
      state: 'SUCCEEDED',
      completed_at: expect.any(String),
    })
    expect(await ledger.check()).toEqual([])
  })

  it('A11 A12 pushes a directive out and takes its callbacks, also when they overtake', async () => {
    const { ledger } = await setUp()
    const { job_id } = await ledger.jobs.submit(envelope())
    const row = only(await ledger.jobs.takeDirectives({ services: ['ocr'] }))
    expect(await ledger.jobs.takeDirectives({ services: ['ocr'] })).toEqual([])
    const attempt = row
    expect(await ledger.jobs.ack(attempt)).toMatchObject({ status: 'accepted' })
    expect(await ledger.jobs.sent(row)).toMatchObject({ status: 'ignored' })
    expect(await ledger.jobs.ack(attempt)).toMatchObject({ status: 'ignored' })
    await expect(ledger.jobs.ack({ ...attempt, lease_id: 'other' })).rejects.toThrow(LeaseMismatch)
    await expect(ledger.jobs.ack({ ...attempt, job_id: 'nobody' })).rejects.toThrow(NotFound)
    await expect(ledger.jobs.ack(attempt, { tenant_id: 't2' })).rejects.toThrow(NotFound)
    await ledger.jobs.result(attempt, { status: 'SUCCEEDED' })
    expect(await ledger.jobs.get(job_id)).toMatchObject({ state: 'SUCCEEDED' })
    const rows = (await ledger.jobs.show(job_id))?.outbox
    expect(rows).toEqual([])
  })

  it('A16 gives a worker that was told to stop until the end of its lease, however it beats', async () => {
    const { world, ledger } = await setUp()
    const { job_id } = await ledger.jobs.submit(envelope({ request_type: 'CHAIN' }))
    const work = only(await ledger.jobs.claim({ queues: ['a'] }))
    await world.advanceBy(5 * 60_000)
    expect(await ledger.jobs.cancel(job_id)).toMatchObject({ state: 'CANCELLING' })
    const beat = await ledger.jobs.heartbeat(work.step)
    expect(beat).toMatchObject({
      status: 'accepted',
      cancel: true,
      lease_expires_at: work.step.lease_expires_at,
    })
    await world.advanceBy(10 * 60_000)
    await ledger.advance()
    expect(await ledger.jobs.get(job_id)).toMatchObject({ state: 'CANCELLED' })
  })

  it('A14 tells a worker that failed whether and when the step is tried again', async () => {
    const { world, ledger } = await setUp()
    await ledger.jobs.submit(envelope({ request_type: 'CHAIN' }))
    const error = { code: 'BUSY', message: 'try later' }
    const fail = async (failure_class: 'RETRYABLE' | 'NON_RETRYABLE') => {
      const work = only(await ledger.jobs.claim({ queues: ['a'] }))
      return ledger.jobs.result(work.step, { status: 'FAILED', failure_class, error })
    }
    const retry_at = new Date(world.clock.now() + 60_000).toISOString()
    expect(await fail('RETRYABLE')).toMatchObject({ job_state: 'IN_PROGRESS', retry_at })
    await world.advanceBy(60_000)
    await ledger.advance()
    expect(await fail('NON_RETRYABLE')).toMatchObject({ job_state: 'FAILED_FINAL', retry_at: null })
  })

  it('A11 keeps every failed publish in the history, with its error', async () => {
    const { ledger } = await setUp()
    const { job_id } = await ledger.jobs.submit(envelope())
    const row = only(await ledger.jobs.takeDirectives({ services: ['ocr'] }))
    await ledger.jobs.publishFailed(row, { code: 'DOWN', message: 'no route' })
    const history = await Array.fromAsync(ledger.jobs.history(job_id))
    expect(history.at(-1)).toMatchObject({
      event: 'noted',
      kind: 'outbox',
      new_state: 'PENDING',
      error_type: 'DOWN',
      error_message: 'no route',
    })
  })

  it('A15 times out, retries and ends by the clock alone', async () => {
    const { world, ledger } = await setUp()
    const { job_id } = await ledger.jobs.submit(envelope())
    for (let attempt = 1; attempt <= 3; attempt++) {
      const row = only(await ledger.jobs.takeDirectives({ services: ['ocr'] }))
      expect(row).toMatchObject({ attempt_no: attempt })
      await ledger.jobs.sent(row)
      await world.advanceBy(30_000)
      await ledger.advance()
      const wait = (await ledger.nextDue()) ?? world.clock.now()
      await world.advanceBy(wait - world.clock.now())
      await ledger.advance()
    }
    expect(await ledger.jobs.get(job_id)).toMatchObject({ state: 'FAILED_FINAL', error_code: 'ACK_TIMEOUT' })
  })

  it('A67 runs urgent work first, and starts dependants when what they wait for has ended', async () => {
    const { ledger } = await setUp()
    const submit = (fields: Partial<Envelope>) =>
      ledger.jobs.submit(envelope({ request_type: 'CHAIN', ...fields }))
    await submit({ priority: 'low', payload: 'low' })
    await submit({ priority: 'high', payload: 'high' })
    const normal = await submit({ priority: 'normal', payload: 'normal' })
    await submit({ depends_on: [normal.job_id], payload: 'dependant', priority: 'critical' })
    const works = await ledger.jobs.claim({ queues: ['a'], limit: 10 })
    expect(works.map(({ job }) => job.payload)).toEqual(['high', 'normal', 'low'])
    await ledger.jobs.cancel(normal.job_id)
    await ledger.jobs.result(only(works.slice(1, 2)).step, { status: 'SUCCEEDED' })
    await ledger.advance()
    const dependants = await ledger.jobs.list({ state: 'FAILED_FINAL' })
    expect(dependants.items).toMatchObject([{ payload: 'dependant', error_code: 'DEPENDENCY_FAILED' }])
  })

  it.each([
    ['status', { status: 'DONE' }],
    ['failure_class', { status: 'FAILED', error: { code: 'X', message: 'm' } }],
    ['error', { status: 'FAILED', failure_class: 'RETRYABLE' }],
    ['error.code', { status: 'FAILED', failure_class: 'RETRYABLE', error: { code: '', message: 'm' } }],
    ['output.a', { status: 'SUCCEEDED', output: { a: Number.NaN } }],
  ])('refuses a result with a bad %s', async (field, result) => {
    const { ledger } = await setUp()
    await ledger.jobs.submit(envelope({ request_type: 'CHAIN' }))
    const work = only(await ledger.jobs.claim({ queues: ['a'] }))
    const report = ledger.jobs.result(work.step, result as never)
    await expect(report).rejects.toThrow(InvalidInput)
    await expect(report).rejects.toMatchObject({ field })
    expect(await ledger.counts('step')).toMatchObject({ IN_PROGRESS: 1 })
  })

  it.each([
    ['attempt_no', { attempt_no: undefined }],
    ['lease_id', { lease_id: '' }],
    ['step_id', { step_id: undefined }],
    ['job_id', { job_id: 3 }],
  ])('A12 refuses a callback without %s', async (field, fields) => {
    const { ledger } = await setUp()
    const attempt = { job_id: 'j', step_id: 's', attempt_no: 1, lease_id: 'l', ...fields }
    await expect(ledger.jobs.ack(attempt as never)).rejects.toMatchObject({ code: 'INVALID_INPUT', field })
  })

  it('refuses to take no work, or a page of none', async () => {
    const { ledger } = await setUp()
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      await expect(ledger.jobs.claim({ queues: ['a'], limit })).rejects.toMatchObject({ field: 'limit' })
      await expect(ledger.jobs.list({ limit })).rejects.toMatchObject({ field: 'limit' })
      await expect(ledger.audit.query({ limit })).rejects.toMatchObject({ field: 'limit' })
    }
  })

  it('refuses an order that the engine does not have, by name', async () => {
    const { ledger } = await setUp()
    const list = ledger.jobs.list({ order: 'colour' as never })
    await expect(list).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('colour'),
    })
  })
})

describe('claim for some tenants', () => {
  it('takes their work and nobody else’s, and refuses a list that is no list of tenants', async () => {
    const { ledger } = await setUp()
    for (const tenant_id of ['t0', 't1', 't2', 't3']) {
      await ledger.jobs.submit(envelope({ tenant_id, request_type: 'CHAIN' }))
    }
    const claimed = async (tenants?: readonly string[]) =>
      (await ledger.jobs.claim({ queues: ['a'], limit: 10, tenants })).map(({ job }) => job.tenant_id).sort()
    expect(await claimed([])).toEqual([])
    expect(await claimed(['t3', 't1'])).toEqual(['t1', 't3'])
    expect(await claimed()).toEqual(['t0', 't2'])
    await expect(claimed(['a\nb'])).rejects.toMatchObject({ code: 'INVALID_INPUT', field: 'tenants' })
    await expect(claimed(Array.from({ length: 1001 }, String))).rejects.toThrow(InvalidInput)
  })
})

describe('looking for jobs and steps', () => {
  it('finds jobs by protocol, and steps by state, queue, service and name, a page at a time', async () => {
    const { ledger } = await setUp()
    for (const job_id of ['c1', 'c2']) {
      await ledger.jobs.submit(envelope({ request_type: 'CHAIN', job_id, payload: { job_id } }))
    }
    await ledger.jobs.submit(envelope({ job_id: 'o1' }))
    await ledger.jobs.submit(envelope({ tenant_id: 't2', job_id: 'o2' }))
    await ledger.jobs.claim({ queues: ['a'] })
    const jobs = await ledger.jobs.list({ protocol_id: 'chain.v1' })
    expect(jobs.items.map(({ job_id }) => job_id)).toEqual(['c1', 'c2'])
    const steps = async (query: ListSteps) =>
      (await ledger.jobs.steps(query)).items.map(({ job_id, step_id }) => `${job_id}/${step_id}`)
    expect(await steps({})).toEqual(['c1/first', 'c1/second', 'c2/first', 'c2/second', 'o1/ocr'])
    expect(await steps({ state: 'IN_PROGRESS' })).toEqual(['c1/first'])
    expect(await steps({ queue: 'a' })).toEqual(['c1/first', 'c2/first'])
    expect(await steps({ service: 'b', job_id: 'c2' })).toEqual(['c2/second'])
    expect(await steps({ step_id: 'ocr', tenant_id: 't2' })).toEqual(['o2/ocr'])
    const { next } = await ledger.jobs.steps({ limit: 2 })
    expect(await steps({ limit: 2, after: next ?? '' })).toEqual(['c2/first', 'c2/second'])
  })
})
