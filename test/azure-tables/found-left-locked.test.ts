// A change of two jobs was decided and told, and the process that had made it died before it unlocked the second of them. The
// first was work to be done, and somebody took it as the index had it, without a look at what was still owed: then nothing
// told any more by what the second one was locked, and it stayed locked.
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { keyOf } from '../../src/core/command.ts'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { annotate, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { claim } from '../../src/testing/conformance/work.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'
import { isLine, isWriteOf, Stop } from './stop.ts'

/** What unlocks a job comes after the line. */
function beforeUnlocking(id: string): Stop {
  let isTold = false
  return new Stop((request: FakeRequest) => {
    isTold ||= isLine(request)
    return isTold && isWriteOf(id)(request)
  })
}

it('what was submitted with a job that somebody else went on with is not locked for ever', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const open = () => openOn(new FakeTableService(account), world)
  const [other, third] = [await open(), await open()]
  const stop = beforeUnlocking('other')
  const timers = new MortalTimers(world.timers)
  const mortal = await openOn(new FakeTableService(account, stop), { ...world, timers })
  const commands = [submitJob('first'), submitJob('other')]
  void mortal.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
  await world.advanceBy(100)
  expect(stop.isReached).toBe(true)
  timers.die()
  const claiming = claim(other, { queues: ['read'] })
  await world.advanceBy(MINUTE_MS)
  expect((await claiming).map(({ job }) => job.job_id)).toEqual(['first'])
  const annotating = run(third, annotate('other', { by: 'third' }))
  await world.advanceBy(MINUTE_MS)
  expect((await annotating).ok).toBe(true)
  const job = await third.get({ kind: 'job', tenant_id: TENANT, id: 'other' })
  expect(job?.metadata).toMatchObject({ by: 'third' })
  expect(await third.check()).toEqual([])
})
