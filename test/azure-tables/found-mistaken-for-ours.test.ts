// A process that takes its own lane again counts its writes from the beginning. When it did not know what had become of a write, it
// could take a later one with the same number for that one: a line was acknowledged that was never there. And a process that
// had slept did not know that its lane was somebody else's by then: it took over a change of theirs without making sure that
// they could not finish it any more, and both told it.
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/time.ts'
import { Lane, LaneLost, NOTHING_TOLD } from '../../src/store/azure-tables/lane.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { annotate, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'
import { isLine, Stop } from './stop.ts'

it('a write of the same process to the same lane is not taken for another one', async () => {
  const account = new FakeAccount()
  const take = (id: string, service: FakeTableService) =>
    Lane.take({ service, number: 0, owner: 'one', id, time: () => 0, onLine: () => {} })
  await new FakeTableService(account).createTables(['Index'])
  let isLost = false
  const before = async (request: FakeRequest) => {
    if (isLost || !isLine(request)) return
    isLost = true
    const again = await take('again', new FakeTableService(account))
    await again.write(NOTHING_TOLD)
    return 'lost'
  }
  const first = await take('first', new FakeTableService(account, { before }))
  await expect(first.write({ ...NOTHING_TOLD, change: 'c' })).rejects.toThrow(LaneLost)
  expect(isLost).toBe(true)
})

it('a change is told once, also when it is taken over by whose lane was taken away', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const timers = new MortalTimers(world.timers)
  // By this it would find out soon.
  const renewals: Promise<void>[] = []
  const before = ({ pk, writes }: FakeRequest) =>
    pk === 'ledger' && writes !== undefined ? renewals.shift() : undefined
  const sleeper = await openOn(new FakeTableService(account, { before }), { ...world, timers })
  await run(sleeper, submitJob('before'))
  timers.halt()
  await world.advanceBy(2 * MINUTE_MS)
  const line = new Stop(isLine)
  const slow = await openOn(new FakeTableService(account, line), world)
  const submitting = run(slow, submitJob('j'))
  await world.advanceBy(100)
  expect(line.isReached).toBe(true)
  const { promise, resolve } = Promise.withResolvers<void>()
  renewals.push(promise)
  timers.goOn()
  const annotating = run(sleeper, annotate('j', { by: 'sleeper' }))
  await world.advanceBy(10_000)
  line.goOn()
  resolve()
  await world.advanceBy(MINUTE_MS)
  await Promise.all([submitting, annotating])
  expect(await slow.counts('job', TENANT)).toMatchObject({ QUEUED: 2 })
  const { items } = await slow.audit({ kind: 'job', id: 'j' })
  expect(items.filter(({ event }) => event === 'moved')).toHaveLength(1)
  expect(await slow.check()).toEqual([])
})
