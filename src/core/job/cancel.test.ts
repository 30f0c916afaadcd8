import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'

const MINUTE = 60_000

function pushedLedger(): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index')) })
  return ledger
}

/** Every way in which a job may be open without a worker at work on it. */
const IDLE: { readonly [name: string]: () => KernelLedger } = {
  'QUEUED, waiting for a worker': () => {
    const ledger = new KernelLedger()
    ledger.submit()
    return ledger
  },
  'QUEUED, delayed': () => {
    const ledger = new KernelLedger()
    ledger.submit({ run_at: toIso(ledger.now + MINUTE) })
    return ledger
  },
  'QUEUED, waiting for another job': () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'j0' })
    ledger.submit({ depends_on: ['j0'] })
    return ledger
  },
  'DISPATCHING, not published': pushedLedger,
  'DISPATCHING, being published': () => {
    const ledger = pushedLedger()
    ledger.take()
    return ledger
  },
  'DISPATCHING, awaiting the ACK': () => {
    const ledger = pushedLedger()
    ledger.publish()
    return ledger
  },
  'IN_PROGRESS, between attempts': () => {
    const ledger = pushedLedger()
    ledger.ack()
    ledger.fail('RETRYABLE')
    return ledger
  },
  'IN_PROGRESS, between steps': () => {
    const ledger = new KernelLedger()
    ledger.submit()
    ledger.claim()
    ledger.succeed()
    return ledger
  },
}

describe('A16: cancelling a job nobody works on', () => {
  it.each(Object.keys(IDLE))('%s: cancelled at once', (name) => {
    const ledger = (IDLE[name] as () => KernelLedger)()
    const before = ledger.steps().map(({ state }) => state)
    const old = ledger.job().state
    const answer = ledger.cancel()
    expect(answer).toBe(ledger.job())
    expect(answer).toMatchObject({
      state: 'CANCELLED',
      completed_at: toIso(ledger.now),
      waits_for: [],
      due_at: null,
      ready: null,
      error_code: null,
    })
    const after = before.map((state) => (state === 'SUCCEEDED' ? 'SUCCEEDED' : 'CANCELLED'))
    expect(ledger.steps().map(({ state }) => state)).toEqual(after)
    expect(ledger.records('job', 'j1').slice(-2)).toMatchObject([
      { old_state: old, new_state: 'CANCELLING', actor: 'operator' },
      { old_state: 'CANCELLING', new_state: 'CANCELLED', actor: 'operator' },
    ])
    ledger.pass(60 * MINUTE)
    expect(ledger.job()).toBe(answer)
  })

  it('closes what was to be published, and says why', () => {
    const ledger = pushedLedger()
    ledger.cancel()
    expect(ledger.rows()).toMatchObject([
      { state: 'FAILED_FINAL', last_error_code: 'CANCELLED', last_error_message: 'The job was cancelled' },
    ])
    expect(ledger.step()).toMatchObject({ last_error_code: 'CANCELLED' })
  })

  it('a late ACK of it is ignored and says stop', () => {
    const ledger = pushedLedger()
    ledger.publish()
    const fence = ledger.fence()
    ledger.cancel()
    const before = ledger.contents()
    expect(ledger.ack(fence)).toMatchObject({ status: 'ignored', cancel: true, lease_expires_at: null })
    expect(ledger.contents()).toEqual(before)
  })
})

describe('A16: cancelling a job somebody works on', () => {
  function working(): KernelLedger {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('ocr'), pushed('index')) })
    ledger.claim()
    ledger.cancel()
    return ledger
  }

  it('is CANCELLING until the worker answers, and the worker is told', () => {
    const ledger = working()
    expect(ledger.states()).toEqual(['CANCELLING', 'IN_PROGRESS', 'PENDING'])
    expect(ledger.job()).toMatchObject({ completed_at: null, due_at: ledger.step().lease_expires_at })
    expect(ledger.heartbeat()).toMatchObject({ status: 'accepted', cancel: true })
    expect(ledger.ack()).toMatchObject({ status: 'ignored', cancel: true })
    expect(ledger.states()).toEqual(['CANCELLING', 'IN_PROGRESS', 'PENDING'])
  })

  it('heartbeats do not keep it alive: a worker that goes on has until the end of its lease', () => {
    const ledger = working()
    const { lease_expires_at } = ledger.step()
    ledger.pass(14 * MINUTE)
    expect(ledger.heartbeat()).toMatchObject({ status: 'accepted', cancel: true, lease_expires_at })
    ledger.pass(MINUTE)
    expect(ledger.job().state).toBe('CANCELLED')
  })

  it('a success ends it as cancelled, and no further step begins', () => {
    const ledger = working()
    ledger.report({ status: 'SUCCEEDED', output: 'kept' })
    expect(ledger.states()).toEqual(['CANCELLED', 'SUCCEEDED', 'CANCELLED'])
    expect(ledger.step().output).toBe('kept')
    expect(ledger.rows()).toEqual([])
  })

  it('a success of the last step ends it as cancelled too', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pulled('ocr')) })
    ledger.claim()
    ledger.cancel()
    ledger.succeed()
    expect(ledger.states()).toEqual(['CANCELLED', 'SUCCEEDED'])
  })

  it.each(['RETRYABLE', 'NON_RETRYABLE'] as const)(
    'a %s failure ends it as cancelled, not retried',
    (kind) => {
      const ledger = working()
      ledger.fail(kind)
      expect(ledger.states()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
      expect(ledger.step()).toMatchObject({ last_error_code: 'BROKEN' })
      expect(ledger.job()).toMatchObject({ error_code: null, completed_at: toIso(ledger.now) })
    },
  )

  it('silence ends it with the lease', () => {
    const ledger = working()
    ledger.pass(15 * MINUTE - 1)
    expect(ledger.job().state).toBe('CANCELLING')
    ledger.pass(1)
    expect(ledger.states()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
    expect(ledger.step()).toMatchObject({ last_error_code: 'CANCELLED', lease_expires_at: null })
  })

  it('asking again changes nothing, and is recorded', () => {
    const ledger = working()
    const before = ledger.contents()
    expect(ledger.cancel().state).toBe('CANCELLING')
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({
      event: 'ignored',
      kind: 'job',
      path: ['CANCELLING', 'CANCELLING'],
      metadata: { command: 'cancelJob' },
    })
  })

  it('nothing of it is claimed or published', () => {
    const ledger = working()
    const command = { tenant_id: 't1', job_id: 'j1', actor: 'w', reason: null }
    expect(ledger.refusalOf({ type: 'claimStep', ...command }).code).toBe('NOT_CLAIMABLE')
    expect(ledger.refusalOf({ type: 'takeOutbox', ...command }).code).toBe('NOTHING_TO_PUBLISH')
  })
})
