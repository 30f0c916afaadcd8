// A process slept for so long that somebody else took its lane, and wrote a line to it. When it went on it changed the job that this line
// tells of, took the lane for its own still, and so did not say that its line rests on the other one; that it had lost the lane it
// found out only then. Whoever read the log at that moment was told that the job was cancelled before it was begun.
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { onJob, submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'

it('a line says what it rests on, also when that is in a lane that was its own until somebody took it', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const timers = new MortalTimers(world.timers)
  // By this it would find out soon.
  const renewals: Promise<void>[] = []
  const before = ({ pk, writes }: FakeRequest) =>
    pk === 'ledger' && writes !== undefined ? renewals.shift() : undefined
  const sleeper = await openOn(new FakeTableService(account, { before }), { ...world, timers })
  await run(sleeper, submitJob('first'))
  const short = await openOn(new FakeTableService(account), world)
  await run(short, submitJob('second'))
  await short.close()
  timers.halt()
  await world.advanceBy(2 * MINUTE_MS)
  const taker = await openOn(new FakeTableService(account), world)
  await run(taker, submitJob('j'))
  const answers: Promise<void>[] = []
  const late = ({ pk, verb }: FakeRequest) =>
    verb === 'query' && pk === 'lane~0001' ? answers.shift() : undefined
  const reader = await openOn(new FakeTableService(account, { before: late }), world)
  const after = (await reader.audit({ kind: 'job' })).items.at(-1)?.cursor
  const answer = Promise.withResolvers<void>()
  answers.push(answer.promise)
  const reading = reader.audit({ kind: 'job', after })
  await world.advanceBy(1)
  await run(taker, onJob('claimStep', 'j'))
  const renewal = Promise.withResolvers<void>()
  renewals.push(renewal.promise)
  timers.goOn()
  const cancelling = run(sleeper, onJob('cancelJob', 'j'))
  await world.advanceBy(1)
  renewal.resolve()
  await world.advanceBy(1000)
  expect((await cancelling).ok).toBe(true)
  answer.resolve()
  const states = (await reading).items.map(({ new_state }) => new_state)
  expect(states).toEqual(['DISPATCHING', 'IN_PROGRESS', 'CANCELLING'])
})
