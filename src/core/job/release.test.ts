import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'

const MINUTE = 60_000
const once = { max_attempts: 1 }

describe('an attempt that its worker gives back', () => {
  it('does not use up an attempt: the next one may start at once', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('only', { policy: once })) })
    ledger.claim()
    ledger.now += MINUTE
    expect(ledger.release()).toEqual({
      status: 'accepted',
      cancel: false,
      lease_expires_at: null,
      job_state: 'IN_PROGRESS',
      retry_at: toIso(ledger.now),
    })
    expect(ledger.step()).toMatchObject({
      state: 'FAILED_RETRY',
      attempt_no: 1,
      released: 1,
      holder: null,
      last_error_code: 'RELEASED',
      last_error_message: 'Its worker gave it back',
    })
    expect(ledger.job()).toMatchObject({ attempts_total: 1, due_at: null })
    expect(ledger.job().ready).toMatchObject({ queue: 'only-service' })
    const { step } = ledger.claim()
    expect(step).toMatchObject({ attempt_no: 2, released: 1 })
    ledger.fail('RETRYABLE')
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'FAILED_FINAL'])
  })

  it('keeps the reason that its worker had', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.run({ type: 'releaseStep', ...ledger.fence(), reason: 'shutting down' })
    expect(ledger.step().last_error_message).toBe('shutting down')
  })

  it('of a pushed step: its directive goes out again at once, with another lease', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr', { policy: once })) })
    const first = ledger.publish()
    ledger.ack()
    ledger.release()
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'DISPATCHING'])
    const second = ledger.publish()
    expect(second).toMatchObject({ attempt_no: 2, state: 'PENDING' })
    expect(second.lease_id).not.toBe(first.lease_id)
  })

  it('given back before it was acknowledged, or even before the publish was noted, is given back', () => {
    for (const isSent of [true, false]) {
      const ledger = new KernelLedger()
      ledger.submit({ protocol: protocolOf(pushed('ocr')) })
      const row = ledger.take()
      if (isSent) ledger.sent(row.outbox_id)
      expect(ledger.release()).toMatchObject({ status: 'accepted' })
      expect(ledger.rows()[0]).toMatchObject({ state: 'SENT' })
      expect(ledger.step()).toMatchObject({ state: 'DISPATCHING', attempt_no: 2, released: 1 })
    }
  })

  it('gives back the places that it held', () => {
    const ledger = new KernelLedger()
    const protocol = protocolOf(pulled('only', { limits: [{ key: 'gpu', max: 1 }] }))
    ledger.steer('only-service', { concurrency: 1 })
    ledger.submit({ protocol })
    ledger.claim()
    expect([ledger.used('gpu'), ledger.slots.used('*', 'queue:only-service')]).toEqual([1, 1])
    ledger.release()
    expect([ledger.used('gpu'), ledger.slots.used('*', 'queue:only-service')]).toEqual([0, 0])
    expect(ledger.step().queue_slot).toBe(false)
  })

  it('counts after a hundred times, so that no step goes round for ever', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('only', { policy: { max_attempts: 2 } })) })
    for (let n = 1; n <= 100; n++) {
      ledger.claim()
      ledger.release()
      expect(ledger.step()).toMatchObject({ attempt_no: n, released: n, state: 'FAILED_RETRY' })
    }
    ledger.claim()
    ledger.release()
    expect(ledger.step()).toMatchObject({ released: 100, state: 'FAILED_RETRY' })
    expect(ledger.step().retry_at).toBe(toIso(ledger.now + MINUTE))
    ledger.pass(MINUTE)
    ledger.claim()
    expect(ledger.release()).toMatchObject({ job_state: 'FAILED_FINAL' })
    expect(ledger.job()).toMatchObject({ error_code: 'RELEASED', attempts_total: 102 })
  })

  it('the backoff is that of attempts that counted', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.release()
    ledger.claim()
    expect(ledger.fail('RETRYABLE').retry_at).toBe(toIso(ledger.now + MINUTE))
  })

  it('while its job is being cancelled, the job ends', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.cancel()
    expect(ledger.release()).toMatchObject({ status: 'accepted', job_state: 'CANCELLED' })
    expect(ledger.states()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
  })

  it('with another lease is refused; once it is over it is ignored', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    const fence = ledger.fence()
    expect(ledger.refusalOf({ type: 'releaseStep', ...fence, lease_id: 'forged' })).toMatchObject({
      code: 'LEASE_MISMATCH',
      field: 'lease_id',
    })
    ledger.release()
    const before = ledger.contents()
    expect(ledger.release(fence)).toMatchObject({ status: 'ignored', cancel: true })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({ event: 'ignored', metadata: { command: 'releaseStep' } })
  })
})
