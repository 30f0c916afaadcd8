// A process slept for so long that its lane was taken from it, and read the log before it wrote again. It took the lane to end
// where it had ended itself: what others had written there was missing, and where a line of another lane rested on that, it
// waited for it, without a pause, for ever.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { onJob, submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import type { Timers } from '../../src/world/timers.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

const run = (store: Store, command: Parameters<typeof decide>[0]) =>
  store.transact([keyOf(command)], (given) => decide(command, given))

/** Somebody whose lane another has taken, who wrote to it what a third one goes on with. */
const openAll = async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const open = (timers: Timers = world.timers) => openOn(new FakeTableService(account), { ...world, timers })
  const timers = new MortalTimers(world.timers)
  const sleeper = await open(timers)
  const [second, third] = [await open(), await open()]
  await run(sleeper, submitJob('first'))
  timers.halt()
  await world.advanceBy(2 * MINUTE_MS)
  await run(second, submitJob('second'))
  return { world, sleeper, second, third, wake: () => timers.goOn() }
}

const told = async (store: Store) => (await store.audit({})).items.map(({ id, new_state }) => [id, new_state])

it('what others have written to a lane that was taken away is told', async () => {
  const { sleeper, second } = await openAll()
  expect(await told(sleeper)).toEqual(await told(second))
})

it('a line is told that rests on one of a lane that was taken away', async () => {
  const { sleeper, third } = await openAll()
  await run(third, onJob('cancelJob', 'second'))
  expect(await told(sleeper)).toEqual(await told(third))
})

it('whoever wakes up and does not write hears of what others write to the lane that was theirs', async () => {
  const { world, sleeper, second, wake } = await openAll()
  let calls = 0
  const end = sleeper.subscribe(() => calls++)
  wake()
  await world.advanceBy(MINUTE_MS)
  calls = 0
  await run(second, submitJob('another'))
  await world.advanceBy(MINUTE_MS)
  expect(calls).toBe(1)
  end()
})
