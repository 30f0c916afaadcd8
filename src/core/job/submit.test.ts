import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed, submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Given } from '../decision.ts'
import { toIso } from '../time.ts'
import type { SubmitJob } from './commands.ts'
import { decideJob } from './decide.ts'
import { IN_FLIGHT } from './limits.ts'

describe('submit', () => {
  it('keeps the request as it came, on the job and on every step', () => {
    const ledger = new KernelLedger()
    const at = toIso(ledger.now)
    const request = {
      doc_id: 'doc:1',
      run_id: 'run-1',
      workstream_id: 'ws-1',
      tags: ['red'],
      callback_urls: { ack: 'http://a' },
      correlation_id: 'c-1',
      traceparent: '00-1',
      idempotency_key: 'k',
      priority: 1,
      input_ref: { uri: 'in', size_bytes: 3 },
    } as const
    expect(ledger.submit(request)).toEqual({ job_id: 'j1', duplicate: false, differing: [] })
    expect(ledger.job()).toMatchObject({
      ...request,
      kind: 'job',
      tenant_id: 't1',
      job_id: 'j1',
      request_type: 'TEST',
      protocol_id: 'test.v1',
      state: 'QUEUED',
      idempotency_hash: 'hash-of-j1',
      current_step_id: 'first',
      current_step_index: 0,
      attempts_total: 0,
      payload: { about: 'j1' },
      schema_version: 'v1',
      output_ref: 'out',
      routing_key_used: 't1',
      created_at: at,
      updated_at: at,
      completed_at: null,
      error_code: null,
    })
    expect(ledger.steps()).toMatchObject([
      {
        step_id: 'first',
        step_index: 0,
        state: 'PENDING',
        attempt_no: 0,
        lease_id: null,
        queue: 'first-service',
      },
      { step_id: 'second', step_index: 1, state: 'PENDING', attempt_no: 0, limits: [], policy: {} },
    ])
    expect(ledger.step(1).input_ref).toEqual({ uri: 'in', size_bytes: 3 })
    expect(ledger.records('job', 'j1')).toMatchObject([
      { event: 'moved', old_state: null, new_state: 'QUEUED', actor: 'submitter', doc_id: 'doc:1' },
    ])
  })

  it('A10: a pushed first step is dispatched at once; later steps wait untouched', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index')) })
    expect(ledger.states()).toEqual(['DISPATCHING', 'DISPATCHING', 'PENDING'])
    expect(ledger.step(0)).toMatchObject({ attempt_no: 1, lease_id: 'id-1', holder: 'ocr-service', lane: 7 })
    expect(ledger.step(1)).toMatchObject({ attempt_no: 0, lease_id: null, holder: null, lane: null })
    expect(ledger.job().attempts_total).toBe(1)
    expect(ledger.rows()).toMatchObject([
      { state: 'PENDING', step_id: 'ocr', attempt_no: 1, lease_id: 'id-1' },
    ])
    expect(ledger.records('job', 'j1').map(({ new_state }) => new_state)).toEqual(['QUEUED', 'DISPATCHING'])
  })

  it('payload.steps[step_id] is for that step alone; the others get the whole payload', () => {
    const ledger = new KernelLedger()
    const payload = { steps: { first: { engine: 'x' } }, all: true }
    ledger.submit({ payload, protocol: protocolOf(pushed('first'), pushed('toString')) })
    expect(ledger.steps().map((step) => step.payload)).toEqual([{ engine: 'x' }, null])
    expect(ledger.rows()[0]?.payload.payload).toEqual({ engine: 'x' })
    ledger.ack()
    ledger.succeed()
    expect(ledger.rows()[1]?.payload.payload).toEqual(payload)
  })

  it.each([null, 'text', [1], { steps: 'all of them' }])('a payload of %j goes to every step', (payload) => {
    const ledger = new KernelLedger()
    ledger.submit({ payload, protocol: protocolOf(pushed('first')) })
    expect(ledger.rows()[0]?.payload.payload).toEqual(payload)
  })

  it('A8: a burst without a document is refused, and takes no place in flight', () => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(submitOf({ mode: 'BURST' }))).toMatchObject({
      code: 'DOC_ID_REQUIRED',
      field: 'doc_id',
      details: { tenant_id: 't1' },
    })
    expect(ledger.used(IN_FLIGHT)).toBe(0)
    expect(ledger.contents()).toEqual([])
  })

  it('an id that is taken by another request is refused', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    const refusal = ledger.refusalOf(submitOf({ idempotency_hash: 'other', payload: 'other' }))
    expect(refusal).toMatchObject({ code: 'JOB_EXISTS', field: 'job_id', details: { job_id: 'j1' } })
    expect(ledger.job().payload).toEqual({ about: 'j1' })
  })

  it('does not look for a job under an id that was just made', () => {
    const get = () => expect.unreachable('nobody can have it')
    const given = { now: 0, get, ownerOf: () => undefined, isFull: () => false } as unknown as Given
    expect(decideJob(submitOf({ isFreshId: true }), given)).toMatchObject({ kind: 'change' })
  })

  it('asks for what it has to look at and was not given', () => {
    const given = { now: 0, get: () => undefined, ownerOf: () => undefined } as unknown as Given
    const command = submitOf({ depends_on: ['a', 'b'] })
    expect(decideJob(command, given)).toEqual({
      kind: 'need',
      keys: ['j1', 'a', 'b'].map((id) => ({ kind: 'job', tenant_id: 't1', id })),
    })
    const owned = { ...given, ownerOf: () => 'j0' }
    expect(decideJob(command, owned)).toEqual({
      kind: 'need',
      keys: [{ kind: 'job', tenant_id: 't1', id: 'j0' }],
    })
  })

  it('a protocol without steps is a mistake of the program', () => {
    expect(() => new KernelLedger().submit({ protocol: protocolOf() })).toThrow('a protocol has a step')
  })
})

describe('A4: the same request again', () => {
  it('answers with the job there is and writes nothing', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    const before = ledger.contents()
    const again = submitOf({ job_id: 'j2', idempotency_hash: 'hash-of-j1', payload: { about: 'j1' } })
    const decision = ledger.decide(again)
    expect(decision).toMatchObject({
      kind: 'change',
      answer: { job_id: 'j1', duplicate: true, differing: [] },
      change: { puts: [], audit: [], claims: [], slots: [], signals: [] },
    })
    expect(ledger.run(again).duplicate).toBe(true)
    expect(ledger.contents()).toEqual(before)
    expect(ledger.rows()).toHaveLength(1)
  })

  it('also after the job has ended, and in another month', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.cancel()
    ledger.now += 40 * 24 * 3_600_000
    expect(ledger.submit()).toEqual({ job_id: 'j1', duplicate: true, differing: [] })
  })

  it('also when the job itself is no longer kept', () => {
    const ledger = new KernelLedger()
    const claims = [{ tenant_id: 't1', key: 'request:hash-of-j1', owner: 'gone' }]
    ledger.write({ puts: [], audit: [], claims, slots: [], signals: [] })
    expect(ledger.submit()).toEqual({ job_id: 'gone', duplicate: true, differing: [] })
  })

  it('is another request for another tenant', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    expect(ledger.submit({ job_id: 'j2', tenant_id: 't2', idempotency_hash: 'hash-of-j1' }).duplicate).toBe(
      false,
    )
  })
})

describe('A7: the same key with another request', () => {
  const other: Partial<SubmitJob> = {
    job_id: 'j2',
    idempotency_key: 'k',
    payload: { about: 'something else' },
    output_ref: 'elsewhere',
  }

  it('answers with the job there is and the fields that differ', () => {
    const ledger = new KernelLedger()
    ledger.submit({ idempotency_key: 'k' })
    expect(ledger.submit(other)).toEqual({
      job_id: 'j1',
      duplicate: true,
      differing: ['output_ref', 'payload'],
    })
  })

  it('is refused where that is asked for', () => {
    const ledger = new KernelLedger()
    ledger.submit({ idempotency_key: 'k' })
    expect(ledger.refusalOf(submitOf({ ...other, strictIdempotency: true }))).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      field: 'idempotency_key',
      details: { job_id: 'j1', differing: ['output_ref', 'payload'] },
    })
    const one = { job_id: 'j2', idempotency_key: 'k', payload: 'another', strictIdempotency: true }
    expect(ledger.refusalOf(submitOf(one)).details.differing).toEqual(['payload'])
    const same = { job_id: 'j2', idempotency_key: 'k', payload: { about: 'j1' }, strictIdempotency: true }
    expect(ledger.submit(same)).toMatchObject({ job_id: 'j1', duplicate: true })
  })

  it('a duplicate is answered even at the in-flight limit', () => {
    const ledger = new KernelLedger()
    ledger.submit({ idempotency_key: 'k', inFlightLimit: 1 })
    expect(ledger.submit({ ...other, inFlightLimit: 1 }).duplicate).toBe(true)
  })
})

describe('A9: the in-flight limit', () => {
  const one = { inFlightLimit: 1 }

  it('refuses one job too many, and says when to come again', () => {
    const ledger = new KernelLedger()
    ledger.submit(one)
    expect(ledger.refusalOf(submitOf({ ...one, job_id: 'j2' }))).toMatchObject({
      code: 'IN_FLIGHT_LIMIT',
      details: { tenant_id: 't1', limit: 1, retry_after_seconds: 1 },
    })
    expect(ledger.submit({ ...one, job_id: 'j3', tenant_id: 't2' }).duplicate).toBe(false)
  })

  const endings: { readonly [how: string]: (ledger: KernelLedger) => void } = {
    success: (ledger) => {
      ledger.claim()
      ledger.succeed()
    },
    failure: (ledger) => {
      ledger.claim()
      ledger.fail('NON_RETRYABLE')
    },
    cancel: (ledger) => ledger.cancel(),
    'cancel of running work': (ledger) => {
      ledger.claim()
      ledger.cancel()
      ledger.succeed()
    },
    'lost leases': (ledger) => {
      for (let attempt = 1; attempt <= 3; attempt++) {
        ledger.claim()
        ledger.pass(30 * 60_000)
      }
    },
    expiry: (ledger) => ledger.pass(24 * 3_600_000),
  }

  it.each(Object.keys(endings))('is free again after %s', (how) => {
    const ledger = new KernelLedger()
    const expires_at = toIso(ledger.now + 12 * 3_600_000)
    ledger.submit({ ...one, expires_at, protocol: protocolOf(pulled('only')) })
    expect(ledger.used(IN_FLIGHT)).toBe(1)
    endings[how]?.(ledger)
    expect(ledger.job().completed_at).not.toBeNull()
    expect(ledger.used(IN_FLIGHT)).toBe(0)
    expect(ledger.submit({ ...one, job_id: 'j2' }).duplicate).toBe(false)
  })

  it('is free again after an exhausted outbox', () => {
    const ledger = new KernelLedger()
    const policy = { publish_tries: 1 }
    ledger.submit({ ...one, protocol: protocolOf(pushed('ocr', { policy })) })
    const row = ledger.take()
    ledger.unsent(row.outbox_id, { code: 'DOWN', message: 'no route' })
    expect(ledger.used(IN_FLIGHT)).toBe(0)
  })
})
