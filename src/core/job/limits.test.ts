import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Delivery } from './protocol.ts'

const MINUTE = 60_000
const gpu = { key: 'gpu', max: 1 }
const to = { tenant_id: 't1', actor: 'w', reason: null }
const claimStep = { type: 'claimStep', ...to } as const
const takeOutbox = { type: 'takeOutbox', ...to } as const

/** Two jobs of one step each that may only run one at a time. */
function twoJobs(delivery: Delivery): KernelLedger {
  const ledger = new KernelLedger()
  const protocol = protocolOf(pulled('ocr', { delivery, limits: [gpu] }))
  ledger.submit({ protocol })
  ledger.submit({ protocol, job_id: 'j2' })
  return ledger
}

describe('a limit on running attempts', () => {
  it('lets so many run at once; the next is refused and may come again', () => {
    const ledger = twoJobs('pull')
    expect(ledger.job().ready).toMatchObject({ group: 'gpu', limits: [gpu] })
    ledger.claim('j1')
    expect(ledger.used('gpu')).toBe(1)
    const before = ledger.contents()
    expect(ledger.refusalOf({ ...claimStep, job_id: 'j2' })).toMatchObject({
      code: 'CONCURRENCY_LIMIT',
      details: { job_id: 'j2', limit: 'gpu' },
    })
    expect(ledger.contents()).toEqual(before)
    ledger.succeed('j1')
    expect(ledger.claim('j2').step.attempt_no).toBe(1)
  })

  it('holds a pushed step back until a dispatcher takes it within the limit', () => {
    const ledger = twoJobs('push')
    expect(ledger.states('j1')).toEqual(['QUEUED', 'PENDING'])
    expect(ledger.rows('j1')).toEqual([])
    expect(ledger.job('j1').ready).toMatchObject({ queue: 'push:ocr-service', group: 'gpu', limits: [gpu] })
    const row = ledger.take('j1')
    expect(row).toMatchObject({ state: 'PENDING', attempt_no: 1, tries: 1, lease_id: ledger.step().lease_id })
    expect(ledger.states('j1')).toEqual(['DISPATCHING', 'DISPATCHING'])
    expect(ledger.refusalOf({ ...takeOutbox, job_id: 'j2' })).toMatchObject({
      code: 'CONCURRENCY_LIMIT',
      details: { limit: 'gpu' },
    })
    expect(ledger.states('j2')).toEqual(['QUEUED', 'PENDING'])
    ledger.sent(row.outbox_id)
    ledger.ack()
    ledger.succeed('j1')
    expect(ledger.take('j2').state).toBe('PENDING')
  })

  it('is held by a row that waits to be published again, which takes no second one', () => {
    const ledger = twoJobs('push')
    ledger.unsent(ledger.take('j1').outbox_id, { code: 'DOWN', message: 'no route' })
    expect(ledger.used('gpu')).toBe(1)
    ledger.pass(MINUTE)
    expect(ledger.job('j1').ready).toMatchObject({ group: '', limits: [] })
    expect(ledger.take('j1').tries).toBe(2)
    expect(ledger.used('gpu')).toBe(1)
  })

  it('of a step that is to be retried is waited for anew', () => {
    const ledger = twoJobs('push')
    ledger.publish('j1')
    ledger.ack()
    ledger.fail('RETRYABLE')
    expect(ledger.used('gpu')).toBe(0)
    ledger.take('j2')
    ledger.pass(MINUTE)
    expect(ledger.step(0, 'j1').state).toBe('FAILED_RETRY')
    expect(ledger.job('j1').ready).toMatchObject({ group: 'gpu', limits: [gpu] })
    expect(ledger.refusalOf({ ...takeOutbox, job_id: 'j1' }).code).toBe('CONCURRENCY_LIMIT')
  })

  it('several limits are all taken, and the full one is named', () => {
    const ledger = new KernelLedger()
    const limits = [{ key: 'cpu', max: 2 }, gpu]
    const protocol = protocolOf(pulled('ocr', { limits }))
    ledger.submit({ protocol })
    ledger.submit({ protocol, job_id: 'j2' })
    ledger.claim('j1')
    expect([ledger.used('cpu'), ledger.used('gpu')]).toEqual([1, 1])
    expect(ledger.job('j2').ready?.group).toBe('cpu gpu')
    expect(ledger.refusalOf({ ...claimStep, job_id: 'j2' }).details.limit).toBe('gpu')
    expect([ledger.used('cpu'), ledger.used('gpu')]).toEqual([1, 1])
  })

  it('goes on to the next step of the same job', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('a', { limits: [gpu] }), pulled('b', { limits: [gpu] })) })
    ledger.claim()
    ledger.succeed()
    expect(ledger.used('gpu')).toBe(0)
    ledger.claim()
    expect(ledger.used('gpu')).toBe(1)
  })
})

describe('a limit is given back', () => {
  const endings: { readonly [how: string]: (ledger: KernelLedger) => void } = {
    success: (ledger) => void ledger.succeed(),
    'a failure to be retried': (ledger) => void ledger.fail('RETRYABLE'),
    'a failure for good': (ledger) => void ledger.fail('NON_RETRYABLE'),
    'a lost lease': (ledger) => ledger.pass(15 * MINUTE),
    'a cancel and its answer': (ledger) => {
      ledger.cancel()
      ledger.succeed()
    },
    'a cancel and silence': (ledger) => {
      ledger.cancel()
      ledger.pass(15 * MINUTE)
    },
  }

  it.each(Object.keys(endings))('after %s', (how) => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('ocr', { limits: [gpu] })) })
    ledger.claim()
    expect(ledger.used('gpu')).toBe(1)
    endings[how]?.(ledger)
    expect(ledger.used('gpu')).toBe(0)
  })

  it.each([
    ['a missing ACK', (ledger: KernelLedger) => ledger.pass(MINUTE)],
    ['a cancel', (ledger: KernelLedger) => void ledger.cancel()],
  ])('after %s', (_, end) => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr', { limits: [gpu] })) })
    ledger.publish()
    expect(ledger.used('gpu')).toBe(1)
    end(ledger)
    expect(ledger.used('gpu')).toBe(0)
  })

  it('after an exhausted outbox', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr', { limits: [gpu], policy: { publish_tries: 1 } })) })
    ledger.unsent(ledger.take().outbox_id, { code: 'DOWN', message: 'no route' })
    expect(ledger.job().state).toBe('FAILED_FINAL')
    expect(ledger.used('gpu')).toBe(0)
  })
})
