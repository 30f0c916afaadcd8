import { describe, expect, it } from 'vitest'
import { protocolOf, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'
import type { CallbackCommand } from './commands.ts'

const MINUTE = 60_000
const LEASE = 15 * MINUTE

function dispatched(): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index')) })
  return ledger
}

function sent(): KernelLedger {
  const ledger = dispatched()
  ledger.publish()
  return ledger
}

function working(): KernelLedger {
  const ledger = sent()
  ledger.ack()
  return ledger
}

/** The three things a worker may say of the attempt that holds the active step. */
function callbacksOf(ledger: KernelLedger): readonly CallbackCommand[] {
  const fence = ledger.fence()
  return [
    { type: 'ackStep', ...fence },
    { type: 'heartbeatStep', ...fence },
    { type: 'reportResult', ...fence, result: { status: 'SUCCEEDED' } },
  ]
}

describe('A12: ACK', () => {
  it('puts step and job IN_PROGRESS; the lease begins', () => {
    const ledger = sent()
    ledger.now += 5_000
    const lease_expires_at = toIso(ledger.now + LEASE)
    expect(ledger.ack()).toMatchObject({ status: 'accepted', cancel: false, lease_expires_at })
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'PENDING'])
    expect(ledger.step()).toMatchObject({ lease_expires_at, ack_deadline_at: null })
    expect(ledger.job().due_at).toBe(lease_expires_at)
    expect(ledger.records('step', 'j1/ocr').at(-1)).toMatchObject({
      old_state: 'AWAITING_ACK',
      new_state: 'IN_PROGRESS',
      duration_seconds: 5,
      actor: 'worker-1',
    })
  })

  it('may come before SENT was written: the row is SENT with it, every state passed through is recorded', () => {
    const ledger = dispatched()
    const row = ledger.take()
    expect(ledger.ack().status).toBe('accepted')
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'PENDING'])
    expect(ledger.rows()).toMatchObject([{ state: 'SENT', sent_at: toIso(ledger.now) }])
    expect(ledger.records('step', 'j1/ocr').map(({ new_state }) => new_state)).toEqual([
      'DISPATCHING',
      'AWAITING_ACK',
      'IN_PROGRESS',
    ])
    expect(ledger.sent(row.outbox_id).status).toBe('ignored')
  })

  it('repeated: ignored and recorded, nothing changed', () => {
    const ledger = working()
    const before = ledger.contents()
    const { lease_expires_at } = ledger.step()
    ledger.now += MINUTE
    expect(ledger.ack()).toMatchObject({ status: 'ignored', cancel: false, lease_expires_at })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({
      event: 'ignored',
      kind: 'step',
      id: 'j1/ocr',
      path: ['IN_PROGRESS', 'IN_PROGRESS'],
      metadata: { command: 'ackStep' },
    })
  })
})

describe('A12: RESULT', () => {
  it.each([
    ['before ACK', sent],
    ['before SENT', dispatched],
  ])('%s with the current lease is accepted', (_, make) => {
    const ledger = make()
    expect(ledger.succeed()).toMatchObject({ status: 'accepted', cancel: false, lease_expires_at: null })
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'SUCCEEDED', 'DISPATCHING'])
    expect(ledger.rows().map(({ state }) => state)).toEqual(['SENT', 'PENDING'])
    expect(ledger.records('step', 'j1/ocr').map(({ new_state }) => new_state)).toEqual([
      'DISPATCHING',
      'AWAITING_ACK',
      'IN_PROGRESS',
      'SUCCEEDED',
    ])
  })

  it('repeated after success: ignored, recorded, and no reason to stop', () => {
    const ledger = working()
    const [, , again] = callbacksOf(ledger)
    ledger.run(again as CallbackCommand)
    const before = ledger.contents()
    expect(ledger.run(again as CallbackCommand)).toMatchObject({
      status: 'ignored',
      cancel: false,
      lease_expires_at: null,
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({ event: 'ignored', metadata: { command: 'reportResult' } })
  })

  it.each(['RETRYABLE', 'NON_RETRYABLE'] as const)('repeated after a %s failure: ignored, stop', (kind) => {
    const ledger = working()
    const fence = ledger.fence()
    ledger.fail(kind)
    const before = ledger.contents()
    const error = { code: 'BROKEN', message: 'again' }
    const result = { status: 'FAILED', failure_class: kind, error } as const
    expect(ledger.report(result, fence)).toMatchObject({ status: 'ignored', cancel: true })
    expect(ledger.contents()).toEqual(before)
  })
})

describe('the answer to a callback says where it left the job', () => {
  it('and when the step is tried again, if it is', () => {
    const ledger = working()
    const first = ledger.fence()
    const retry_at = toIso(ledger.now + MINUTE)
    expect(ledger.fail('RETRYABLE')).toMatchObject({ job_state: 'IN_PROGRESS', retry_at })
    expect(ledger.ack(first)).toMatchObject({ status: 'ignored', job_state: 'IN_PROGRESS', retry_at })
    ledger.pass(MINUTE)
    expect(ledger.ack()).toMatchObject({ job_state: 'IN_PROGRESS', retry_at: null })
    expect(ledger.succeed()).toMatchObject({ job_state: 'IN_PROGRESS', retry_at: null })
    expect(ledger.succeed()).toMatchObject({ job_state: 'SUCCEEDED', retry_at: null })
  })
})

describe('A12: a callback that does not hold the step', () => {
  it.each([0, 1, 2])('wrong attempt or lease: refused, recorded, nothing changed (callback %i)', (which) => {
    const ledger = working()
    const before = ledger.contents()
    const callback = callbacksOf(ledger)[which] as CallbackCommand
    expect(ledger.refusalOf({ ...callback, attempt_no: 2 })).toMatchObject({
      code: 'LEASE_MISMATCH',
      field: 'attempt_no',
      details: { job_id: 'j1', step_id: 'ocr', attempt_no: 2, current_attempt_no: 1, state: 'IN_PROGRESS' },
    })
    expect(ledger.refusalOf({ ...callback, lease_id: 'stolen' })).toMatchObject({
      code: 'LEASE_MISMATCH',
      field: 'lease_id',
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.history.slice(-2)).toMatchObject([
      { event: 'refused', id: 'j1/ocr', metadata: { refusal: 'LEASE_MISMATCH', command: callback.type } },
      { event: 'refused', id: 'j1/ocr', metadata: { refusal: 'LEASE_MISMATCH', command: callback.type } },
    ])
  })

  it('a late callback of the attempt before: refused', () => {
    const ledger = working()
    const [, late] = callbacksOf(ledger)
    ledger.fail('RETRYABLE')
    ledger.pass(MINUTE)
    expect(ledger.step()).toMatchObject({ state: 'DISPATCHING', attempt_no: 2 })
    expect(ledger.refusalOf(late as CallbackCommand).code).toBe('LEASE_MISMATCH')
  })

  it('a step that has not begun is held by nobody', () => {
    const ledger = working()
    const [ack] = callbacksOf(ledger)
    expect(ledger.refusalOf({ ...(ack as CallbackCommand), step_id: 'index' })).toMatchObject({
      code: 'LEASE_MISMATCH',
      details: { current_attempt_no: 0, state: 'PENDING' },
    })
  })

  it('wrong tenant, unknown job, unknown step: not found, all alike', () => {
    const ledger = working()
    const history = ledger.history.length
    for (const callback of callbacksOf(ledger)) {
      const answerTo = (other: object) => {
        const asked = { ...callback, ...other }
        const refusal = ledger.refusalOf(asked)
        expect(refusal.message).toBe(`Job ${asked.job_id} with step ${asked.step_id} is not known here`)
        expect(refusal.details).toEqual({ job_id: asked.job_id })
        return { code: refusal.code, field: refusal.field, next: refusal.next }
      }
      const wrongTenant = answerTo({ tenant_id: 't2' })
      expect(wrongTenant).toMatchObject({ code: 'NOT_FOUND', field: 'job_id' })
      expect(answerTo({ job_id: 'j9' })).toEqual(wrongTenant)
      expect(answerTo({ step_id: 'nope' })).toEqual(wrongTenant)
    }
    expect(ledger.history).toHaveLength(history)
  })
})

describe('a heartbeat', () => {
  it('extends the lease', () => {
    const ledger = working()
    ledger.now += 10 * MINUTE
    const lease_expires_at = toIso(ledger.now + LEASE)
    expect(ledger.heartbeat()).toMatchObject({ status: 'accepted', cancel: false, lease_expires_at })
    expect(ledger.step().lease_expires_at).toBe(lease_expires_at)
    expect(ledger.job().due_at).toBe(lease_expires_at)
    expect(ledger.last().event).toBe('moved')
  })

  it('before its ACK begins the work', () => {
    const ledger = sent()
    expect(ledger.heartbeat()).toMatchObject({
      status: 'accepted',
      lease_expires_at: toIso(ledger.now + LEASE),
    })
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'PENDING'])
  })

  it('of an attempt that is over is ignored and says stop', () => {
    const ledger = working()
    const [, heartbeat] = callbacksOf(ledger)
    ledger.fail('NON_RETRYABLE')
    expect(ledger.run(heartbeat as CallbackCommand)).toMatchObject({ status: 'ignored', cancel: true })
  })
})
