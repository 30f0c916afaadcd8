// A process was slow with the line of a change that it had decided, so another one took the change over. The first found that
// out and unlocked the other job of the change all the same, as if its own lane had it: the timer of that job lay in another
// lane than the job said, and whoever came upon it took it for an old one and removed it. Or who had taken the change over
// died before the line: a third one found nothing locked any more, and the other job had no timer at all.
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { keyOf } from '../../src/core/command.ts'
import { change } from '../../src/core/decision.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { advanceAll } from '../../src/testing/conformance/work.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { isLine, isWriteOf, Stop } from './stop.ts'

const commands = [submitJob('first'), submitJob('other', { delay_ms: HOUR_MS })]
const submit = (store: Store) => store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
const read = (store: Store, id: string) =>
  store.transact([{ kind: 'job', tenant_id: TENANT, id }], () => change(null, {}))

/** Somebody who stops before the line, and somebody else who goes on with it and stops somewhere. */
async function open(stop: Stop) {
  const world = virtualWorld()
  const account = new FakeAccount()
  const line = new Stop(isLine)
  const timers = new MortalTimers(world.timers)
  const slow = await openOn(new FakeTableService(account, line), world)
  const second = await openOn(new FakeTableService(account, stop), { ...world, timers })
  const submitting = submit(slow)
  await world.advanceBy(1000)
  expect(line.isReached).toBe(true)
  const reading = read(second, 'first')
  await world.advanceBy(MINUTE_MS / 6)
  expect(stop.isReached).toBe(true)
  line.goOn()
  const third = await openOn(new FakeTableService(account), world)
  return { world, submitting, reading, third, die: () => timers.die() }
}

it('the other job of a change is unlocked in the lane that has it', async () => {
  const stop = new Stop(isWriteOf('other'))
  const { world, submitting, reading, third } = await open(stop)
  await world.advanceBy(MINUTE_MS / 6)
  stop.goOn()
  await world.advanceBy(MINUTE_MS)
  await Promise.all([submitting, reading])
  expect(await third.check()).toEqual([])
  await world.advanceBy(HOUR_MS)
  expect(await advanceAll(third, 'due')).toEqual(['other'])
})

it('the other job of a change stays locked until there is a line', async () => {
  const { world, submitting, third, die } = await open(new Stop(isLine))
  die()
  await world.advanceBy(MINUTE_MS)
  await submitting
  expect(await third.check()).toEqual([])
  await world.advanceBy(HOUR_MS)
  expect(await advanceAll(third, 'due')).toEqual(['other'])
})
