import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'
import { PRIORITY_STEP_MS } from './waiting.ts'

const MINUTE = 60_000
const DOWN = { code: 'DOWN', message: 'no route' }

describe('getting on with a job', () => {
  it('ends its delay', () => {
    const ledger = new KernelLedger()
    ledger.submit({ delay_ms: MINUTE })
    expect(ledger.job()).toMatchObject({ due_at: toIso(ledger.now + MINUTE), ready: null })
    const job = ledger.expedite({ reason: 'the customer is waiting' })
    expect(job).toMatchObject({ run_at: toIso(ledger.now), due_at: null, ready: { queue: 'first-service' } })
    expect(ledger.last()).toMatchObject({
      event: 'noted',
      kind: 'job',
      path: ['QUEUED', 'QUEUED'],
      actor: 'operator',
      reason: 'the customer is waiting',
      metadata: { expedited: [] },
    })
    ledger.claim()
  })

  it('ends the backoff of a step that failed', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.fail('RETRYABLE')
    ledger.now += 1000
    expect(ledger.expedite()).toMatchObject({ due_at: null, ready: { queue: 'first-service' } })
    expect(ledger.step()).toMatchObject({ state: 'FAILED_RETRY', retry_at: toIso(ledger.now) })
    expect(ledger.claim().step.attempt_no).toBe(2)
  })

  it('ends the backoff of a pushed step, which is dispatched at once', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    ledger.publish()
    ledger.ack()
    ledger.fail('RETRYABLE')
    ledger.expedite()
    expect(ledger.step()).toMatchObject({ state: 'DISPATCHING', attempt_no: 2 })
  })

  it('ends the backoff of a publish', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    ledger.unsent(ledger.take().outbox_id, DOWN)
    expect(ledger.job().ready).toBeNull()
    expect(ledger.expedite()).toMatchObject({ due_at: null, ready: { queue: 'push:ocr-service' } })
    expect(ledger.rows()[0]?.next_try_at).toBeNull()
    expect(ledger.take()).toMatchObject({ tries: 2 })
  })

  it('gives it another priority', () => {
    const ledger = new KernelLedger()
    ledger.submit({ priority: 3 })
    const rank = ledger.job().ready?.rank ?? 0
    expect(ledger.expedite({ priority: 0 })).toMatchObject({
      priority: 0,
      ready: { rank: rank - 3 * PRIORITY_STEP_MS },
    })
    expect(ledger.last().metadata).toEqual({ expedited: [], priority: 0 })
  })

  it('lets what is under way go on', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    const { step } = ledger.claim()
    ledger.expedite()
    expect(ledger.step()).toEqual(step)
    const pushing = new KernelLedger()
    pushing.submit({ protocol: protocolOf(pushed('ocr')) })
    const row = pushing.take()
    pushing.expedite()
    expect(pushing.rows()[0]).toEqual(row)
  })
})

describe('what it passes over only when it is named', () => {
  it('dependencies', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'first' })
    ledger.submit({ depends_on: ['first'] })
    expect(ledger.expedite()).toMatchObject({ waits_for: ['job:first'], ready: null })
    expect(ledger.expedite({ ignore: ['dependencies'] })).toMatchObject({
      waits_for: [],
      depends_on: ['first'],
      ready: { queue: 'first-service' },
    })
    expect(ledger.last().metadata).toEqual({ expedited: ['dependencies'] })
    ledger.cancel('first')
    ledger.pass(0)
    expect(ledger.job().state).toBe('QUEUED')
  })

  it('limits', () => {
    const ledger = new KernelLedger()
    const protocol = protocolOf(pulled('only', { limits: [{ key: 'gpu', max: 1 }] }))
    for (const job_id of ['j1', 'j2']) ledger.submit({ job_id, protocol })
    ledger.claim('j1')
    expect(ledger.expedite({ job_id: 'j2' })).toMatchObject({ unlimited: false })
    expect(ledger.job('j2').ready).not.toHaveProperty('unlimited')
    ledger.expedite({ job_id: 'j2', ignore: ['limits'] })
    ledger.claim('j2')
    expect(ledger.used('gpu')).toBe(2)
    ledger.succeed('j2')
    expect(ledger.used('gpu')).toBe(1)
  })

  it('the attempt that is under way: another one may start, and as many are left as before', () => {
    const ledger = new KernelLedger()
    const policy = { max_attempts: 1 }
    ledger.submit({ protocol: protocolOf(pulled('only', { policy, limits: [{ key: 'gpu', max: 1 }] })) })
    ledger.claim()
    const fence = ledger.fence()
    ledger.expedite({ ignore: ['attempt'] })
    expect(ledger.step()).toMatchObject({ state: 'FAILED_RETRY', released: 1, last_error_code: 'GIVEN_UP' })
    expect(ledger.used('gpu')).toBe(0)
    expect(ledger.heartbeat(fence)).toMatchObject({ status: 'ignored', cancel: true })
    expect(ledger.claim().step.attempt_no).toBe(2)
    expect(ledger.refusalOf({ type: 'reportResult', ...fence, result: { status: 'SUCCEEDED' } }).code).toBe(
      'LEASE_MISMATCH',
    )
  })

  it.each(['DISPATCHING', 'taken', 'AWAITING_ACK', 'IN_PROGRESS'])(
    'the attempt at a pushed step that is %s: its directive goes out again',
    (stage) => {
      const ledger = new KernelLedger()
      ledger.submit({ protocol: protocolOf(pushed('ocr')) })
      const [row] = ledger.rows()
      if (stage !== 'DISPATCHING') ledger.take()
      if (stage === 'AWAITING_ACK' || stage === 'IN_PROGRESS') ledger.sent(row?.outbox_id ?? '')
      if (stage === 'IN_PROGRESS') ledger.ack()
      ledger.expedite({ ignore: ['attempt'] })
      expect(ledger.step()).toMatchObject({ state: 'DISPATCHING', attempt_no: 2, released: 1 })
      const isSent = stage === 'AWAITING_ACK' || stage === 'IN_PROGRESS'
      expect(ledger.rows().map(({ state }) => state)).toEqual([isSent ? 'SENT' : 'FAILED_FINAL', 'PENDING'])
      expect(ledger.sent(row?.outbox_id ?? '')).toMatchObject({ status: 'ignored' })
      ledger.publish()
    },
  )

  it('an attempt where there is none is no obstacle', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    expect(ledger.expedite({ ignore: ['attempt'] })).toMatchObject({ state: 'QUEUED', attempts_total: 0 })
  })
})

describe('jobs that cannot be got on with', () => {
  it.each(['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'])('one that is %s stays as it is', (end) => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('only')) })
    if (end === 'CANCELLED') ledger.cancel()
    else {
      ledger.claim()
      if (end === 'SUCCEEDED') ledger.succeed()
      else ledger.fail('NON_RETRYABLE')
    }
    const before = ledger.contents()
    const job = ledger.expedite({ ignore: ['dependencies', 'limits', 'attempt'], priority: 0 })
    expect(job.state).toBe(end)
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({ event: 'ignored', metadata: { command: 'expediteJob' } })
  })

  it('one that is being cancelled goes on being cancelled', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.cancel()
    const before = ledger.contents()
    expect(ledger.expedite({ ignore: ['limits'] }).state).toBe('CANCELLING')
    expect(ledger.contents()).toEqual(before)
  })

  it('but its worker need not be waited for', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.cancel()
    const fence = ledger.fence()
    expect(ledger.expedite({ ignore: ['attempt'] })).toMatchObject({ state: 'CANCELLED', due_at: null })
    expect(ledger.states()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
    expect(ledger.heartbeat(fence)).toMatchObject({ status: 'ignored', cancel: true })
  })
})
