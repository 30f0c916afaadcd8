import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'

const MINUTE = 60_000
const to = { tenant_id: 't1', actor: 'w', reason: null }
const claimStep = { type: 'claimStep', ...to } as const
const takeOutbox = { type: 'takeOutbox', ...to } as const

/** Jobs of one step each, of which two may begin within a minute. */
function jobs(how: 'pull' | 'push', ...ids: readonly string[]): KernelLedger {
  const ledger = new KernelLedger()
  const limits = [{ key: 'door', max: 2, per_ms: MINUTE }]
  for (const job_id of ids) {
    const step = how === 'pull' ? pulled('only', { limits }) : pushed('only', { limits })
    ledger.submit({ job_id, protocol: protocolOf(step) })
  }
  return ledger
}

describe('a limit on attempts begun within a while', () => {
  it('is used up by those that began, whatever became of them, until the while is over', () => {
    const ledger = jobs('pull', 'a', 'b', 'c')
    expect(ledger.job('a').ready).toMatchObject({ group: 'rate:door' })
    ledger.claim('a')
    ledger.now += MINUTE / 2
    ledger.claim('b')
    ledger.succeed('a')
    ledger.succeed('b')
    expect(ledger.used('rate:door')).toBe(2)
    expect(ledger.refusalOf({ ...claimStep, job_id: 'c' })).toMatchObject({
      code: 'RATE_LIMIT',
      message: 'Limit door is used up for now',
      details: { job_id: 'c', limit: 'door' },
    })
    ledger.now += MINUTE / 2 - 1
    expect(ledger.refusalOf({ ...claimStep, job_id: 'c' }).code).toBe('RATE_LIMIT')
    ledger.now += 1
    ledger.claim('c')
    expect(ledger.used('rate:door')).toBe(2)
    ledger.now += MINUTE
    expect(ledger.used('rate:door')).toBe(0)
  })

  it('counts every attempt of one job', () => {
    const ledger = jobs('pull', 'a')
    for (let n = 0; n < 2; n++) {
      ledger.claim('a')
      ledger.release(ledger.fence('a'))
    }
    expect(ledger.refusalOf({ ...claimStep, job_id: 'a' }).code).toBe('RATE_LIMIT')
    ledger.now += MINUTE
    expect(ledger.claim('a').step.attempt_no).toBe(3)
  })

  it('holds pushed work back until a dispatcher may begin it', () => {
    const ledger = jobs('push', 'a', 'b', 'c')
    ledger.publish('a')
    ledger.publish('b')
    expect(ledger.refusalOf({ ...takeOutbox, job_id: 'c' }).code).toBe('RATE_LIMIT')
    expect(ledger.states('c')).toEqual(['QUEUED', 'PENDING'])
    ledger.now += MINUTE
    ledger.publish('c')
  })

  it('goes by the same name as one on running attempts, and is counted apart', () => {
    const ledger = new KernelLedger()
    const limits = [
      { key: 'gpu', max: 1 },
      { key: 'gpu', max: 5, per_ms: MINUTE },
    ]
    ledger.submit({ protocol: protocolOf(pulled('only', { limits })) })
    expect(ledger.job().ready?.group).toBe('gpu rate:gpu')
    ledger.claim()
    expect([ledger.used('gpu'), ledger.used('rate:gpu')]).toEqual([1, 1])
    ledger.succeed()
    expect([ledger.used('gpu'), ledger.used('rate:gpu')]).toEqual([0, 1])
  })

  it('is passed by whoever was let past the limits, and counts them all the same', () => {
    const ledger = jobs('pull', 'a', 'b', 'c', 'd')
    ledger.claim('a')
    ledger.claim('b')
    ledger.expedite({ job_id: 'c', ignore: ['limits'] })
    expect(ledger.job('c').ready).toMatchObject({ group: '', limits: [], unlimited: true })
    ledger.claim('c')
    expect(ledger.used('rate:door')).toBe(3)
    ledger.now += MINUTE
    ledger.claim('d')
  })
})

describe('the limits of a queue', () => {
  const QUEUE = 'queue:only-service'

  function jobsOf(how: 'pull' | 'push', ...ids: readonly string[]): KernelLedger {
    const ledger = new KernelLedger()
    const protocol = protocolOf(how === 'pull' ? pulled('only') : pushed('only'))
    for (const job_id of ids) ledger.submit({ job_id, protocol })
    return ledger
  }

  it('at once: a place is held from the beginning of an attempt to its end, over all tenants', () => {
    const ledger = jobsOf('pull', 'a', 'b')
    ledger.submit({ job_id: 'z', tenant_id: 't2', protocol: protocolOf(pulled('only')) })
    ledger.steer('only-service', { concurrency: 1 })
    expect(ledger.claim('a').step.queue_slot).toBe(true)
    for (const on of [{ job_id: 'b' }, { job_id: 'z', tenant_id: 't2' }]) {
      expect(ledger.refusalOf({ ...claimStep, ...on })).toMatchObject({
        code: 'CONCURRENCY_LIMIT',
        details: { limit: QUEUE },
      })
    }
    ledger.succeed('a')
    expect(ledger.step(0, 'a').queue_slot).toBe(false)
    ledger.run({ ...claimStep, job_id: 'z', tenant_id: 't2' })
    expect(ledger.slots.used('*', QUEUE)).toBe(1)
  })

  it('within a while: over all tenants', () => {
    const ledger = jobsOf('pull', 'a', 'b')
    ledger.steer('only-service', { rate: { max: 1, per_ms: MINUTE } })
    expect(ledger.claim('a').step.queue_slot).toBe(false)
    ledger.succeed('a')
    expect(ledger.refusalOf({ ...claimStep, job_id: 'b' })).toMatchObject({
      code: 'RATE_LIMIT',
      details: { limit: QUEUE },
    })
    ledger.now += MINUTE
    ledger.claim('b')
  })

  it('of pushed work: a place is taken with the directive, and held until the attempt is over', () => {
    const ledger = jobsOf('push', 'a', 'b')
    ledger.steer('only-service', { concurrency: 1 })
    expect(ledger.slots.used('*', QUEUE)).toBe(0)
    ledger.publish('a')
    expect(ledger.refusalOf({ ...takeOutbox, job_id: 'b' }).code).toBe('CONCURRENCY_LIMIT')
    ledger.ack(ledger.fence('a'))
    expect(ledger.slots.used('*', QUEUE)).toBe(1)
    ledger.succeed('a')
    expect(ledger.slots.used('*', QUEUE)).toBe(0)
    ledger.publish('b')
  })

  // A row that could not be published was held back by the very place that it had taken, for as long as a rate lasts.
  it('a directive that is published once more has its places already', () => {
    const ledger = jobsOf('push', 'a', 'b')
    ledger.steer('only-service', { concurrency: 1, rate: { max: 1, per_ms: 60 * MINUTE } })
    ledger.unsent(ledger.take('a').outbox_id, { code: 'DOWN', message: 'no route' }, 'a')
    expect(ledger.slots.used('*', QUEUE)).toBe(1)
    ledger.pass(MINUTE / 2)
    expect(ledger.job('a').ready).toMatchObject({ queue: 'push:only-service', unlimited: true })
    expect(ledger.job('b').ready).not.toHaveProperty('unlimited')
    expect(ledger.take('a')).toMatchObject({ tries: 2 })
    expect(ledger.view().used('*', `rate:${QUEUE}`)).toBe(1)
    expect(ledger.refusalOf({ ...takeOutbox, job_id: 'b' }).code).toBe('CONCURRENCY_LIMIT')
  })

  it('a limit that is set or taken away while work is under way is none of its business', () => {
    const ledger = jobsOf('pull', 'a', 'b')
    ledger.claim('a')
    ledger.steer('only-service', { concurrency: 1 })
    ledger.claim('b')
    ledger.steer('only-service', { concurrency: null })
    ledger.succeed('a')
    expect(ledger.slots.used('*', QUEUE)).toBe(1)
    ledger.succeed('b')
    expect(ledger.slots.used('*', QUEUE)).toBe(0)
  })

  // The index has to tell as well: it did not when the step had no limits of its own.
  it('are passed by whoever was let past the limits', () => {
    const ledger = jobsOf('pull', 'a', 'b')
    ledger.steer('only-service', { concurrency: 1 })
    ledger.claim('a')
    ledger.expedite({ job_id: 'b', ignore: ['limits'] })
    expect(ledger.job('b')).toMatchObject({ unlimited: true, ready: { unlimited: true } })
    ledger.claim('b')
    expect(ledger.slots.used('*', QUEUE)).toBe(2)
  })

  it('a paused queue hands out nothing, to nobody', () => {
    const ledger = jobsOf('pull', 'a')
    ledger.submit({ job_id: 'p', protocol: protocolOf(pushed('only')) })
    ledger.expedite({ job_id: 'a', ignore: ['limits'] })
    ledger.steer('only-service', { state: 'paused' })
    for (const command of [
      { ...claimStep, job_id: 'a' },
      { ...takeOutbox, job_id: 'p' },
    ] as const) {
      expect(ledger.refusalOf(command)).toMatchObject({
        code: 'QUEUE_PAUSED',
        next: 'Resume the queue: waybill queue resume only-service',
        details: { job_id: command.job_id, queue: 'only-service' },
      })
    }
    ledger.steer('only-service', { state: 'running' })
    ledger.claim('a')
    ledger.publish('p')
  })
})
