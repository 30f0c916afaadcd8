// A process slept for so long that others took its lane, and looked after what was there. When it went on it did not know that yet:
// it took a place for a job that was submitted, decided that there is one, and died. Only the place led to the job, from a lane that
// had been looked after already; who had done so would have looked once more, but was gone. The job was never begun.
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
import { Stop } from './stop.ts'

/** Follows the row that decides. */
const isListed = ({ table, writes = [] }: FakeRequest): boolean =>
  table === 'Jobs' && writes.some(({ rk }) => rk === 'j')

it('what is begun in a lane that others have looked after meanwhile is found, whoever is gone', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const timers = new MortalTimers(world.timers)
  const end = new Stop(isListed)
  const sleeper = await openOn(new FakeTableService(account, end), { ...world, timers })
  await run(sleeper, submitJob('first'))
  timers.halt()
  await world.advanceBy(2 * MINUTE_MS)
  const short = await openOn(new FakeTableService(account), world)
  await passing(world, short.maintain())
  await short.close()
  void run(sleeper, submitJob('j'))
  await world.advanceBy(1)
  expect(end.isReached).toBe(true)
  timers.die()
  const other = await openOn(new FakeTableService(account), world)
  other.subscribe(() => {})
  await world.advanceBy(4 * MINUTE_MS)
  const ready = await other.ready(['read'], 10, (heads) => heads.map(({ key }) => key.id))
  expect(ready).toEqual(['first', 'j'])
})
