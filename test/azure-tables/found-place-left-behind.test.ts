// Somebody took a place under a limit, and died before it was decided what for. The place was free again for whoever looked;
// but those who waited for it had looked before, and wait until they are told. Nobody told them.
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { onJob, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { LIMITED } from '../../src/testing/conformance/protocols.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'

it('a place that nobody lived to use is free again, and those who wait are told', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const timers = new MortalTimers(world.timers)
  const before = async ({ table, writes }: FakeRequest) => {
    if (timers.isDead || table !== 'Steps' || writes === undefined) return
    timers.die()
    await new Promise(() => {})
  }
  const mortal = await openOn(new FakeTableService(account, { before }), { ...world, timers })
  const other = await openOn(new FakeTableService(account), world)
  for (const id of ['a', 'b']) await run(other, submitJob(id, { protocol: LIMITED }))
  void run(mortal, onJob('claimStep', 'a'))
  await world.advanceBy(MINUTE_MS / 2)
  expect(timers.isDead).toBe(true)
  let calls = 0
  other.subscribe(() => calls++)
  await world.advanceBy(3 * MINUTE_MS)
  expect(calls).toBeGreaterThan(0)
  const used = await other.ready([], 1, (_, view) => view.used(TENANT, 'gpu'))
  expect(used).toBe(0)
})
