import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { pick } from '../pick.ts'
import { toIso } from '../time.ts'
import type { Priority } from './record.ts'
import { PRIORITY_STEP_MS } from './waiting.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The order in which workers get jobs of one queue. */
function order(ledger: KernelLedger, ids: readonly string[]): readonly string[] {
  const heads = ids.flatMap((id) => {
    const { ready } = ledger.job(id)
    return ready === null ? [] : [{ key: { kind: 'job', tenant_id: 't1', id } as const, ready }]
  })
  const rules = { limit: 100, running: new Map<string, number>(), view: ledger.view() }
  return pick(heads, rules).chosen.map(({ key }) => key.id)
}

describe('the order of waiting jobs', () => {
  it('A67: low, high and normal submitted in that order run high, normal, low', () => {
    const ledger = new KernelLedger()
    const wishes: readonly (readonly [string, Priority])[] = [
      ['low', 3],
      ['high', 1],
      ['normal', 2],
      ['critical', 0],
    ]
    for (const [job_id, priority] of wishes) {
      ledger.submit({ job_id, priority })
      ledger.now += 1000
    }
    expect(order(ledger, ['low', 'high', 'normal', 'critical'])).toEqual([
      'critical',
      'high',
      'normal',
      'low',
    ])
  })

  it('A67: first in, first out within a priority', () => {
    const ledger = new KernelLedger()
    for (const job_id of ['z', 'y', 'x']) {
      ledger.submit({ job_id })
      ledger.now += 1
    }
    expect(order(ledger, ['x', 'y', 'z'])).toEqual(['z', 'y', 'x'])
  })

  it('nothing waits for ever: a level of priority is worth a quarter of an hour', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'old', priority: 3 })
    ledger.now += PRIORITY_STEP_MS + 1
    ledger.submit({ job_id: 'new', priority: 2 })
    expect(PRIORITY_STEP_MS).toBe(15 * MINUTE)
    expect(order(ledger, ['old', 'new'])).toEqual(['old', 'new'])
  })

  it('a delayed job takes its place by the time it was to start', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'delayed', run_at: toIso(ledger.now + 10 * MINUTE) })
    ledger.now += 5 * MINUTE
    ledger.submit({ job_id: 'later' })
    ledger.pass(5 * MINUTE)
    expect(order(ledger, ['delayed', 'later'])).toEqual(['later', 'delayed'])
  })
})

describe('where work waits', () => {
  it('workers find it under the queue of the step, dispatchers apart from them', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: protocolOf(pulled('ocr')) })
    ledger.submit({ job_id: 'b', protocol: protocolOf(pulled('ocr', { queue: 'slow' })) })
    ledger.submit({ job_id: 'c', protocol: protocolOf(pushed('ocr')) })
    ledger.submit({ job_id: 'd', protocol: protocolOf(pushed('ocr', { queue: 'slow' })) })
    expect(['a', 'b', 'c', 'd'].map((id) => ledger.job(id).ready?.queue)).toEqual([
      'ocr-service',
      'slow',
      'push:ocr-service',
      'push:slow',
    ])
  })

  it('each step in its own queue', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('a', { queue: 'one' }), pulled('b', { queue: 'two' })) })
    expect(ledger.job().ready?.queue).toBe('one')
    ledger.claim()
    expect(ledger.job().ready).toBeNull()
    ledger.succeed()
    expect(ledger.job().ready?.queue).toBe('two')
  })
})

describe('a delayed job', () => {
  it('cannot be taken before its time', () => {
    const ledger = new KernelLedger()
    const run_at = toIso(ledger.now + HOUR)
    ledger.submit({ run_at })
    expect(ledger.job()).toMatchObject({ state: 'QUEUED', due_at: run_at, ready: null })
    expect(
      ledger.refusalOf({ type: 'claimStep', tenant_id: 't1', job_id: 'j1', actor: 'w', reason: null }),
    ).toMatchObject({ code: 'NOT_CLAIMABLE', details: { waits_for: 'delay' } })
    ledger.pass(HOUR - 1)
    expect(ledger.job().ready).toBeNull()
    ledger.pass(1)
    expect(ledger.job()).toMatchObject({ due_at: null, ready: { queue: 'first-service' } })
    ledger.claim()
  })

  it('is dispatched at its time when it is pushed', () => {
    const ledger = new KernelLedger()
    ledger.submit({ run_at: toIso(ledger.now + HOUR), protocol: protocolOf(pushed('ocr')) })
    expect(ledger.states()).toEqual(['QUEUED', 'PENDING'])
    ledger.pass(HOUR)
    expect(ledger.states()).toEqual(['DISPATCHING', 'DISPATCHING'])
  })

  it('with a time that has passed starts at once', () => {
    const ledger = new KernelLedger()
    ledger.submit({ run_at: toIso(ledger.now) })
    expect(ledger.job().ready).not.toBeNull()
  })
})

describe('expires_at', () => {
  const waits: { readonly [what: string]: (ledger: KernelLedger, expires_at: string) => void } = {
    'for a worker': (ledger, expires_at) => void ledger.submit({ expires_at }),
    'for a dispatcher': (ledger, expires_at) =>
      void ledger.submit({ expires_at, protocol: protocolOf(pushed('ocr'), pushed('index')) }),
    'for another job': (ledger, expires_at) => {
      ledger.submit({ job_id: 'j0' })
      ledger.submit({ expires_at, depends_on: ['j0'] })
    },
    'for its time': (ledger, expires_at) =>
      void ledger.submit({ expires_at, run_at: toIso(ledger.now + 2 * HOUR) }),
  }

  it.each(Object.keys(waits))('ends a wait %s', (what) => {
    const ledger = new KernelLedger()
    const expires_at = toIso(ledger.now + HOUR)
    waits[what]?.(ledger, expires_at)
    expect(ledger.job().due_at).toBe(expires_at)
    ledger.pass(HOUR - 1)
    expect(ledger.job().completed_at).toBeNull()
    ledger.pass(1)
    expect(ledger.job()).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'EXPIRED',
      error_message: `Nothing took it up before ${expires_at}`,
    })
    expect(ledger.steps().map(({ state, last_error_code }) => [state, last_error_code])).toEqual([
      ['CANCELLED', 'EXPIRED'],
      ['CANCELLED', 'EXPIRED'],
    ])
    for (const row of ledger.rows())
      expect(row).toMatchObject({ state: 'FAILED_FINAL', last_error_code: 'EXPIRED' })
  })

  it('does not end a delay that is over sooner', () => {
    const ledger = new KernelLedger()
    const run_at = toIso(ledger.now + MINUTE)
    ledger.submit({ run_at, expires_at: toIso(ledger.now + HOUR) })
    expect(ledger.job().due_at).toBe(run_at)
    ledger.pass(MINUTE)
    expect(ledger.job()).toMatchObject({ state: 'QUEUED', due_at: toIso(ledger.now + HOUR - MINUTE) })
  })

  it('is over for workers and dispatchers too, though no timer has fired yet', () => {
    const to = { tenant_id: 't1', job_id: 'j1', actor: 'test', reason: null }
    for (const [step, type] of [
      [pulled('only'), 'claimStep'],
      [pushed('only'), 'takeOutbox'],
    ] as const) {
      const ledger = new KernelLedger()
      ledger.submit({ expires_at: toIso(ledger.now + MINUTE), protocol: protocolOf(step) })
      ledger.now += MINUTE
      expect(ledger.refusalOf({ type, ...to })).toMatchObject({ details: { waits_for: 'nothing' } })
    }
  })

  it('does not end work that has begun, nor the wait before its retry', () => {
    const ledger = new KernelLedger()
    ledger.submit({ expires_at: toIso(ledger.now + MINUTE), protocol: protocolOf(pulled('only')) })
    ledger.claim()
    ledger.pass(10 * MINUTE)
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'IN_PROGRESS'])
    ledger.fail('RETRYABLE')
    expect(ledger.states()).toEqual(['IN_PROGRESS', 'FAILED_RETRY'])
  })

  it('ends the wait for a worker of the next attempt', () => {
    const ledger = new KernelLedger()
    ledger.submit({ expires_at: toIso(ledger.now + HOUR), protocol: protocolOf(pulled('only')) })
    ledger.claim()
    ledger.fail('RETRYABLE')
    ledger.pass(HOUR)
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'EXPIRED', attempts_total: 1 })
  })
})

describe('advance', () => {
  it('writes nothing when nothing is due', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.now += HOUR
    const decision = ledger.decide({
      type: 'advanceJob',
      tenant_id: 't1',
      job_id: 'j1',
      actor: 't',
      reason: null,
    })
    expect(decision).toMatchObject({
      kind: 'change',
      change: { puts: [], audit: [], slots: [], signals: [] },
    })
    expect(ledger.advance()).toBe(ledger.job())
  })
})
