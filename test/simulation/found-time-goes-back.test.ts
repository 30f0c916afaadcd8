// The store's time never goes back, but it did: a heartbeat leaves nothing in the history, and time was taken from there
// when a ledger was opened. When the clock had been set back meanwhile, leases were given that were over too early.
import { expect, it } from 'vitest'
import { change } from '../../src/core/decision.ts'
import { decideJob } from '../../src/core/job/decide.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { submitOf } from '../fixtures/job-commands.ts'
import { PROTOCOLS } from './protocols.ts'

const by = { tenant_id: 't1', job_id: 'job', actor: 'test', reason: null } as const

it('the time of a change that is not in the history counts when the ledger is opened again', async () => {
  const disk = new CrashDisk()
  const world = virtualWorld({ disk })
  const store = await openJournal('/ledger', world)
  const protocol = PROTOCOLS.find(({ request_type }) => request_type === 'FETCH')
  const submit = submitOf({ ...by, protocol } as Parameters<typeof submitOf>[0])
  await store.transact([], (given) => decideJob(submit, given))
  const claimed = await store.transact([], (given) => decideJob({ type: 'claimStep', ...by }, given))
  if (!claimed.ok) throw new Error(claimed.refusal.message)
  const { step_id, attempt_no, lease_id } = claimed.answer.step
  await world.advanceBy(5000)
  const fence = { step_id, attempt_no, lease_id: String(lease_id) }
  await store.transact([], (given) => decideJob({ type: 'heartbeatStep', ...by, ...fence }, given))
  const then = world.clock.now()
  world.clock.jumpTo(then - 3_600_000)
  const opened = await openJournal('/ledger', { ...world, disk: disk.afterKill() })
  let now = 0
  await opened.transact([], (given) => {
    now = given.now
    return change(null, {})
  })
  expect(now).toBe(then)
})
