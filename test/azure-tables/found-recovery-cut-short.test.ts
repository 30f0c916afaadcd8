// A process took the lane of one that had died, and its connection failed while it looked after what had been left there. To
// everybody else the lane was in good order again, and the process itself did not come back to it: what was left half done
// stayed so.
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/time.ts'
import { MARKER_RANGE } from '../../src/store/azure-tables/lane-rows.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { moveDocument, submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'
import { isLine, Stop } from './stop.ts'

/** Whose connection fails once, when it looks for what was left. */
class Failing extends FakeTableService {
  fails = 1

  override async query(...[table, query]: Parameters<FakeTableService['query']>) {
    if (query.rkFrom === MARKER_RANGE.from && this.fails-- > 0) throw new Error('the connection is cut')
    return super.query(table, query)
  }
}

it('what was left behind is looked after, also when that fails at first', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const timers = new MortalTimers(world.timers)
  const stop = new Stop(isLine)
  const mortal = await openOn(new FakeTableService(account, stop), { ...world, timers })
  void run(mortal, moveDocument('d', 'fetching'))
  await world.advanceBy(100)
  expect(stop.isReached).toBe(true)
  timers.die()
  await world.advanceBy(2 * MINUTE_MS)
  const service = new Failing(account)
  const store = await openOn(service, world)
  await run(store, submitJob('j'))
  await world.advanceBy(2 * MINUTE_MS)
  expect(service.fails).toBeLessThan(1)
  expect(await store.counts('document')).toMatchObject({ fetching: 1 })
  expect(await store.check()).toEqual([])
})
