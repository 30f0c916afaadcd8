// Two jobs were submitted at the same moment, and their places under a limit were written at once: the service gave both rows
// the same etag, which is a time. The process died before it told of either. Whoever looked after what it had left knew places
// that were seen to by their etags alone, took the second for the first, and its job was never to be taken by anybody.
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'
import { run } from './run.ts'
import { isLine, Stop } from './stop.ts'

it('jobs that were submitted together are all seen to when who submitted them is gone', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const timers = new MortalTimers(world.timers)
  let lines = 0
  const stop = new Stop((request: FakeRequest) => isLine(request) && ++lines === 2)
  const mortal = await openOn(new FakeTableService(account, stop), { ...world, timers })
  await run(mortal, submitJob('told'))
  for (const id of ['a', 'b']) void run(mortal, submitJob(id))
  await world.advanceBy(100)
  expect(stop.isReached).toBe(true)
  timers.die()
  await world.advanceBy(2 * MINUTE_MS)
  const store = await openOn(new FakeTableService(account), world)
  await passing(world, store.maintain())
  expect(await store.counts('job')).toMatchObject({ QUEUED: 3 })
  expect(await store.check()).toEqual([])
})
