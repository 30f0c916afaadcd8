import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { backoffMs } from '../backoff.ts'
import { toIso } from '../time.ts'
import type { ProtocolStep } from './protocol.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const LEASE = 15 * MINUTE

function submitted(...steps: readonly ProtocolStep[]): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(...steps) })
  return ledger
}

describe('A14: a failed attempt', () => {
  it('that may be retried is, after 1 m and 5 m, with a new attempt and lease', () => {
    const ledger = submitted(pushed('ocr'), pushed('index'))
    const leases = new Set([ledger.step().lease_id])
    for (const [attempt, wait] of [MINUTE, 5 * MINUTE].entries()) {
      ledger.publish()
      ledger.ack()
      ledger.fail('RETRYABLE')
      expect(ledger.states()).toEqual(['IN_PROGRESS', 'FAILED_RETRY', 'PENDING'])
      expect(ledger.step()).toMatchObject({
        attempt_no: attempt + 1,
        retry_at: toIso(ledger.now + wait),
        holder: null,
        lease_expires_at: null,
        last_error_code: 'BROKEN',
        last_error_message: 'it broke',
      })
      expect(ledger.job()).toMatchObject({ due_at: toIso(ledger.now + wait), ready: null, error_code: null })
      ledger.pass(wait - 1)
      expect(ledger.step().state).toBe('FAILED_RETRY')
      ledger.pass(1)
      expect(ledger.step()).toMatchObject({ state: 'DISPATCHING', attempt_no: attempt + 2, retry_at: null })
      leases.add(ledger.step().lease_id)
    }
    expect(leases.size).toBe(3)
    expect(ledger.rows()).toHaveLength(3)
    expect(ledger.rows()[2]?.payload).toMatchObject({ attempt_no: 3, lease_id: ledger.step().lease_id })
    expect(new Set(ledger.rows().map(({ lane }) => lane)).size).toBe(1)
    expect(ledger.job().attempts_total).toBe(3)
  })

  it('at the last attempt ends step and job', () => {
    const ledger = submitted(pulled('ocr'), pulled('index'))
    for (const wait of [MINUTE, 5 * MINUTE, 0]) {
      ledger.claim()
      ledger.fail('RETRYABLE')
      ledger.pass(wait)
    }
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'FAILED_FINAL', 'CANCELLED'])
    expect(ledger.step()).toMatchObject({ attempt_no: 3, completed_at: toIso(ledger.now) })
    expect(ledger.job()).toMatchObject({
      error_code: 'BROKEN',
      error_message: 'it broke',
      attempts_total: 3,
      completed_at: toIso(ledger.now),
    })
    expect(ledger.step(1)).toMatchObject({ attempt_no: 0, last_error_code: 'BROKEN' })
  })

  it('that may not be retried ends step and job at once', () => {
    const ledger = submitted(pulled('ocr'), pulled('index'))
    ledger.claim()
    const error = { code: 'BAD_PDF', message: 'no pages', details: { pages: 0 } }
    ledger.report({ status: 'FAILED', failure_class: 'NON_RETRYABLE', error })
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'FAILED_FINAL', 'CANCELLED'])
    expect(ledger.job()).toMatchObject({
      error_code: 'BAD_PDF',
      error_message: 'no pages',
      attempts_total: 1,
    })
    for (const [kind, id] of [
      ['step', 'j1/ocr'],
      ['job', 'j1'],
    ] as const) {
      expect(ledger.records(kind, id).at(-1)).toMatchObject({
        new_state: 'FAILED_FINAL',
        error_type: 'BAD_PDF',
        error_message: 'no pages',
        metadata: { error_details: { pages: 0 } },
        retry_count: 0,
        max_retries: 2,
      })
    }
  })

  it('counts attempts of all steps in attempts_total', () => {
    const ledger = submitted(pulled('ocr'), pulled('index'))
    ledger.claim()
    ledger.fail('RETRYABLE')
    ledger.pass(MINUTE)
    ledger.claim()
    ledger.succeed()
    ledger.claim()
    ledger.succeed()
    expect(ledger.job()).toMatchObject({ state: 'SUCCEEDED', attempts_total: 3 })
    expect(ledger.steps().map(({ attempt_no }) => attempt_no)).toEqual([2, 1])
  })

  it('of a pulled step waits for a worker again after the backoff', () => {
    const ledger = submitted(pulled('ocr'))
    ledger.claim()
    ledger.fail('RETRYABLE')
    expect(ledger.refusalOf({ type: 'claimStep', ...ledger.fence() })).toMatchObject({
      code: 'NOT_CLAIMABLE',
      details: { waits_for: 'backoff' },
    })
    ledger.pass(MINUTE)
    expect(ledger.job().ready).toMatchObject({ queue: 'ocr-service' })
    expect(ledger.claim().step).toMatchObject({ attempt_no: 2, holder: 'worker-1' })
    expect(ledger.last().metadata).toMatchObject({ attempt_no: 2 })
  })

  it('keeps to the attempts and backoff of its step: 15 m is the third wait, and repeats', () => {
    const ledger = submitted(pulled('ocr', { policy: { max_attempts: 5 } }))
    const waits: number[] = []
    for (let attempt = 1; attempt <= 4; attempt++) {
      ledger.claim()
      ledger.fail('RETRYABLE')
      waits.push(Date.parse(ledger.step().retry_at ?? '') - ledger.now)
      ledger.pass(15 * MINUTE)
    }
    expect(waits).toEqual([MINUTE, 5 * MINUTE, 15 * MINUTE, 15 * MINUTE])
    ledger.claim()
    ledger.fail('RETRYABLE')
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', attempts_total: 5 })
  })

  it('jitter depends on the lease alone, so a replayed history gives the same times', () => {
    const backoff = { kind: 'exponential', baseMs: 10_000, capMs: 60_000, jitter: 1 } as const
    const wait = () => {
      const ledger = submitted(pulled('ocr', { policy: { backoff } }))
      ledger.claim()
      ledger.fail('RETRYABLE')
      return Date.parse(ledger.step().retry_at ?? '') - ledger.now
    }
    expect(wait()).toBe(wait())
    expect(wait()).toBe(backoffMs(backoff, 1, crc32('id-1') / 2 ** 32))
    expect(wait()).toBeLessThan(10_000)
  })

  it('without a wait is dispatched again in the same commit; the history keeps the error with the failure', () => {
    const backoff = { kind: 'none', baseMs: 0, capMs: 0 } as const
    const ledger = submitted(pushed('ocr', { policy: { backoff } }))
    ledger.publish()
    ledger.ack()
    ledger.fail('RETRYABLE')
    expect(ledger.step()).toMatchObject({ state: 'DISPATCHING', attempt_no: 2 })
    expect(ledger.rows().map(({ state }) => state)).toEqual(['SENT', 'PENDING'])
    const records = ledger.records('step', 'j1/ocr').slice(-2)
    expect(
      records.map(({ new_state, error_type, metadata }) => [new_state, error_type, metadata.attempt_no]),
    ).toEqual([
      ['FAILED_RETRY', 'BROKEN', 1],
      ['DISPATCHING', null, 2],
    ])
  })
})

describe('A15: silence', () => {
  it('no ACK for 30 s: the attempt failed', () => {
    const ledger = submitted(pushed('ocr'))
    ledger.publish()
    ledger.pass(30 * SECOND - 1)
    expect(ledger.step().state).toBe('AWAITING_ACK')
    ledger.pass(1)
    expect(ledger.step()).toMatchObject({
      state: 'FAILED_RETRY',
      last_error_code: 'ACK_TIMEOUT',
      ack_deadline_at: null,
      retry_at: toIso(ledger.now + MINUTE),
    })
    expect(ledger.job().state).toBe('DISPATCHING')
    expect(ledger.records('step', 'j1/ocr').at(-1)).toMatchObject({
      error_type: 'ACK_TIMEOUT',
      duration_seconds: 30,
      actor: 'timer',
    })
  })

  it('no ACK on the last attempt: step and job failed for good', () => {
    const ledger = submitted(pushed('ocr'))
    for (let attempt = 1; attempt <= 3; attempt++) {
      ledger.publish()
      ledger.pass(10 * MINUTE)
    }
    expect(ledger.states()).toEqual(['FAILED_FINAL', 'FAILED_FINAL'])
    expect(ledger.job()).toMatchObject({ error_code: 'ACK_TIMEOUT', attempts_total: 3 })
  })

  it('the clock of the ACK starts when the directive was sent, not when it was written', () => {
    const ledger = submitted(pushed('ocr'))
    ledger.pass(10 * MINUTE)
    ledger.publish()
    ledger.pass(29 * SECOND)
    expect(ledger.step().state).toBe('AWAITING_ACK')
  })

  it('lease expired: the attempt failed, and on the last one the job', () => {
    const ledger = submitted(pulled('ocr'))
    for (const [attempt, wait] of [MINUTE, 5 * MINUTE].entries()) {
      ledger.claim()
      ledger.pass(LEASE - 1)
      expect(ledger.step().state).toBe('IN_PROGRESS')
      ledger.pass(1)
      expect(ledger.step()).toMatchObject({
        state: 'FAILED_RETRY',
        attempt_no: attempt + 1,
        last_error_code: 'LEASE_EXPIRED',
      })
      ledger.pass(wait)
    }
    ledger.claim()
    ledger.pass(LEASE)
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'LEASE_EXPIRED' })
  })

  it('a heartbeat in time prevents it', () => {
    const ledger = submitted(pulled('ocr'))
    ledger.claim()
    for (let beat = 0; beat < 5; beat++) {
      ledger.pass(14 * MINUTE)
      ledger.heartbeat()
    }
    expect(ledger.step()).toMatchObject({ state: 'IN_PROGRESS', attempt_no: 1 })
    ledger.pass(LEASE)
    expect(ledger.step().state).toBe('FAILED_RETRY')
  })

  it('an attempt beyond the last is a mistake of the program', () => {
    const ledger = submitted(pulled('ocr', { policy: { max_attempts: 0 } }))
    expect(() => ledger.claim()).toThrow('step ocr has an attempt left')
  })
})
