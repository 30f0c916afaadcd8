import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { attemptStatusOf, toolStatusOf } from './tool-status.ts'

function status(ledger: KernelLedger): string {
  const aggregate = ledger.get('job', 't1', 'j1')
  return aggregate === null ? 'not_found' : toolStatusOf(aggregate)
}

describe('the status of a tool job', () => {
  it('A61: is running while it runs, queued before and between attempts, and then how it ended', () => {
    const ledger = new KernelLedger()
    expect(status(ledger)).toBe('not_found')
    ledger.submit({ protocol: protocolOf(pulled('aider')) })
    expect(status(ledger)).toBe('queued')
    ledger.claim()
    expect(status(ledger)).toBe('running')
    ledger.fail('RETRYABLE')
    expect(status(ledger)).toBe('queued')
    ledger.pass(60_000)
    ledger.claim()
    ledger.cancel()
    expect(status(ledger)).toBe('running')
    ledger.fail('RETRYABLE')
    expect(status(ledger)).toBe('cancelled')
  })

  it.each([
    ['completed', 'SUCCEEDED', ''],
    ['failed', 'FAILED', 'EXIT'],
    ['timeout', 'FAILED', 'TIMEOUT'],
  ] as const)('A61: is %s', (name, state, code) => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('aider')) })
    ledger.claim()
    const error = { code, message: 'm' }
    ledger.report(
      state === 'SUCCEEDED' ? { status: state } : { status: state, failure_class: 'NON_RETRYABLE', error },
    )
    expect(status(ledger)).toBe(name)
  })

  it.each([
    ['IN_PROGRESS', null, 'running'],
    ['AWAITING_ACK', null, 'running'],
    ['SUCCEEDED', null, 'completed'],
    ['CANCELLED', 'CANCELLED', 'cancelled'],
    ['FAILED_RETRY', 'EXIT_CODE', 'failed'],
    ['FAILED_FINAL', 'TIMEOUT', 'timeout'],
  ])('A62: an attempt that is %s (%s) is %s', (new_state, error_type, name) => {
    expect(attemptStatusOf({ new_state, error_type })).toBe(name)
  })

  it('is queued while its directive is on its way', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    expect(status(ledger)).toBe('queued')
  })
})
