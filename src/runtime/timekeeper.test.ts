import { describe, expect, it, vi } from 'vitest'
import { protocolOf, pulled, pushed } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import type { LedgerRecord } from '../core/aggregate.ts'
import { change } from '../core/decision.ts'
import { DEFAULT_SETTINGS } from '../ledger/settings.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { LiveLedger } from './live-ledger.ts'

const MINUTE = 60_000
const MONTH = 30 * 24 * 60 * MINUTE

describe('a timekeeper', () => {
  it('never asks an idle store', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    ledger.keepTime()
    await world.advanceBy(5000)
    const nextDue = vi.spyOn(ledger, 'nextDue')
    const fireDue = vi.spyOn(ledger.schedules, 'fireDue')
    await world.advanceBy(MONTH)
    expect([nextDue.mock.calls.length, fireDue.mock.calls.length]).toEqual([0, 0])
    // A store may have a timer of its own.
    const other = await liveLedger([pulled('first')])
    await other.world.advanceBy(5000 + MONTH)
    expect(world.clock.nextTimer).toBe(other.world.clock.nextTimer)
  })

  it('A15 notices in time when an acknowledgement or a result does not come', async () => {
    const { ledger, world } = await liveLedger([pushed('first'), pulled('second')])
    ledger.keepTime()
    const { job_id } = await ledger.jobs.submit(requestOf())
    const [row] = await ledger.jobs.takeDirectives({ services: ['first-service'] })
    if (row === undefined) throw new Error('there is a directive')
    await ledger.jobs.sent(row)
    const states = async () => (await ledger.jobs.show(job_id))?.steps.map(({ state }) => state)
    await world.advanceBy(30_000 - 1)
    expect(await states()).toEqual(['AWAITING_ACK', 'PENDING'])
    await world.advanceBy(1)
    expect(await states()).toEqual(['FAILED_RETRY', 'PENDING'])
    // The next attempt after its backoff is dispatched by itself.
    await world.advanceBy(MINUTE)
    expect(await states()).toEqual(['DISPATCHING', 'PENDING'])
  })

  it('does at once what becomes due while it looks at schedules', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const { job_id } = await ledger.jobs.submit(requestOf({ delay: '1s' }))
    const due = world.clock.now() + 1000
    const fireDue = ledger.schedules.fireDue.bind(ledger.schedules)
    vi.spyOn(ledger.schedules, 'fireDue').mockImplementationOnce((now) => {
      world.clock.jumpTo(due)
      return fireDue(now)
    })
    ledger.keepTime()
    await world.advanceBy(1)
    expect((await ledger.jobs.show(job_id))?.job.ready).not.toBeNull()
    await ledger.close()
  })

  it('is another one when it is wanted after it was stopped', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    await ledger.keepTime().stop()
    const { job_id } = await ledger.jobs.submit(requestOf({ delay: '10m' }))
    ledger.work({ 'first-service': () => null })
    await world.advanceBy(10 * MINUTE)
    expect((await ledger.jobs.get(job_id))?.state).toBe('SUCCEEDED')
    await ledger.close()
  })

  it('starts what was delayed, and what waited for another job', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    ledger.work({ 'first-service': () => null })
    const first = await ledger.jobs.submit(requestOf({ delay: '10m' }))
    const second = await ledger.jobs.submit(requestOf({ depends_on: [first.job_id] }))
    const states = async () => [
      (await ledger.jobs.get(first.job_id))?.state,
      (await ledger.jobs.get(second.job_id))?.state,
    ]
    await world.advanceBy(10 * MINUTE - 1)
    expect(await states()).toEqual(['QUEUED', 'QUEUED'])
    await world.advanceBy(1)
    expect(await states()).toEqual(['SUCCEEDED', 'SUCCEEDED'])
    await ledger.close()
  })

  it('submits the jobs of schedules when their time comes, once each, and hears of new ones', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const ran: string[] = []
    ledger.work({
      'first-service': ({ job }) => void ran.push(`${job.schedule_id} ${job.created_at.slice(11, 19)}`),
    })
    await world.advanceBy(10 * MINUTE)
    const { tenant_id: _, ...request } = requestOf({ payload: { same: 'each time' } })
    await ledger.schedules.put({ schedule_id: 'five', cron: '*/5 * * * *', request })
    await world.advanceBy(12 * MINUTE)
    expect(ran).toEqual(['five 03:15:00', 'five 03:20:00', 'five 03:25:00'])
    await ledger.schedules.pause('five')
    await world.advanceBy(30 * MINUTE)
    expect(ran).toHaveLength(3)
    await ledger.schedules.resume('five')
    await world.advanceBy(5 * MINUTE)
    expect(ran.slice(3)).toEqual(['five 04:00:00'])
    await ledger.close()
  })

  it('does not ask all the time about something that is due and cannot be done', async () => {
    const world = virtualWorld()
    const store = new MemoryStore(world)
    const ledger = new LiveLedger(store, { ...DEFAULT_SETTINGS, tenant_id: 't1' }, world)
    ledger.jobs.register(protocolOf(pulled('first')))
    const { job_id } = await ledger.jobs.submit(requestOf({ delay: '1m' }))
    // It contradicts itself: it is to be dispatched, but all its attempts are used up.
    const broken = await store.load({ kind: 'job', tenant_id: 't1', id: job_id })
    const steps =
      broken?.steps.map((step): LedgerRecord => ({ ...step, delivery: 'push', attempt_no: 3 })) ?? []
    await store.transact([], () => change(null, { puts: steps }))
    const advance = vi.spyOn(ledger, 'advance')
    ledger.keepTime()
    await world.advanceBy(MINUTE + 10_000)
    expect(world.logged.some(({ fields }) => 'code' in fields && fields.code === 'BROKEN_RECORD')).toBe(true)
    expect(advance.mock.calls.length).toBeGreaterThan(1)
    expect(advance.mock.calls.length).toBeLessThanOrEqual(12)
    await ledger.close()
  })
})
