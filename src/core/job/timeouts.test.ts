import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'

const MINUTE = 60_000
const policy = { lease_ms: 10 * MINUTE, timeout_ms: 25 * MINUTE, max_attempts: 1 }

/** A job at work, and the instant at which its attempt began. */
function atWork(how: 'push' | 'pull', more: object = policy): { ledger: KernelLedger; began: number } {
  const ledger = new KernelLedger()
  const step = how === 'push' ? pushed : pulled
  ledger.submit({ protocol: protocolOf(step('only', { policy: more })) })
  if (how === 'pull') ledger.claim()
  else {
    ledger.publish()
    ledger.now += MINUTE / 4
    ledger.ack()
  }
  return { ledger, began: ledger.now }
}

describe.each(['push', 'pull'] as const)('how long an attempt may work: %s', (how) => {
  it('heartbeats make the lease longer, but not past the timeout', () => {
    const { ledger, began } = atWork(how)
    expect(ledger.step().lease_expires_at).toBe(toIso(began + 10 * MINUTE))
    for (const [beatAt, expiresAt] of [
      [9, 19],
      [15, 25],
      [18, 25],
      [24, 25],
    ] as const) {
      ledger.pass(began + beatAt * MINUTE - ledger.now)
      expect(ledger.heartbeat().lease_expires_at).toBe(toIso(began + expiresAt * MINUTE))
    }
    ledger.pass(MINUTE - 1)
    expect(ledger.job().state).toBe('IN_PROGRESS')
    ledger.pass(1)
    expect(ledger.job()).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'TIMEOUT',
      error_message: 'Not done within 1500000 ms',
    })
  })

  it('one that falls silent has lost its lease, however late that is noticed', () => {
    for (const noticedAfter of [10, 1000]) {
      const { ledger, began } = atWork(how)
      ledger.now = began + noticedAfter * MINUTE
      ledger.advance()
      expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'LEASE_EXPIRED' })
    }
  })

  it('one that beats until the end timed out, however late that is noticed', () => {
    const { ledger, began } = atWork(how)
    for (const at of [9, 18]) {
      ledger.now = began + at * MINUTE
      ledger.heartbeat()
    }
    ledger.now = began + 1000 * MINUTE
    ledger.advance()
    expect(ledger.job().error_code).toBe('TIMEOUT')
  })

  it('a timeout shorter than the lease is the lease', () => {
    const { ledger, began } = atWork(how, { ...policy, timeout_ms: MINUTE })
    expect(ledger.step().lease_expires_at).toBe(toIso(began + MINUTE))
    ledger.pass(MINUTE)
    expect(ledger.job().error_code).toBe('TIMEOUT')
  })

  it('each attempt has its own time, and one that timed out is tried again', () => {
    const { ledger, began } = atWork(how, { ...policy, timeout_ms: MINUTE, max_attempts: 2 })
    ledger.pass(MINUTE)
    expect(ledger.step()).toMatchObject({ state: 'FAILED_RETRY', last_error_code: 'TIMEOUT' })
    ledger.pass(MINUTE)
    if (how === 'pull') ledger.claim()
    else {
      ledger.publish()
      ledger.ack()
    }
    expect(ledger.step()).toMatchObject({
      attempt_no: 2,
      lease_expires_at: toIso(began + 3 * MINUTE),
    })
  })

  it('without a timeout an attempt works for as long as it beats', () => {
    const { ledger } = atWork(how, { lease_ms: 10 * MINUTE })
    for (let beats = 0; beats < 100; beats++) {
      ledger.pass(9 * MINUTE)
      ledger.heartbeat()
    }
    expect(ledger.job().state).toBe('IN_PROGRESS')
  })
})
