// Two processes were about to take the same job from a queue with a limit. One had put its row under the limit, and had not decided
// yet; the other came upon that row, took the place to be the job's already, and decided without one of its own. The first
// came too late and took its row away: the job ran without a place, and one more than may be was begun beside it.
import { expect, it } from 'vitest'
import { type Command, decide, keyOf } from '../../src/core/command.ts'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { onJob, steerQueue, submitJob } from '../../src/testing/conformance/commands.ts'
import { PUSHED } from '../../src/testing/conformance/protocols.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { isWriteOf, Stop } from './stop.ts'

const run = async (store: Store, command: Command) =>
  (await store.transact([keyOf(command)], (given) => decide(command, given))).ok

async function open(stops: readonly Stop[]) {
  const world = virtualWorld()
  const account = new FakeAccount()
  const stores = await Promise.all(stops.map((stop) => openOn(new FakeTableService(account, stop), world)))
  return { world, stores, other: await openOn(new FakeTableService(account), world) }
}

it('a job that two want to take at the same time has a place under the limit of its queue', async () => {
  const stop = new Stop(isWriteOf('a'))
  const { world, stores, other } = await open([stop])
  await run(other, steerQueue('read', { concurrency: 1 }))
  for (const id of ['a', 'b']) await run(other, submitJob(id))
  const slowly = run(stores[0] as Store, onJob('claimStep', 'a'))
  await world.advanceBy(100)
  expect(stop.isReached).toBe(true)
  const quickly = run(other, onJob('claimStep', 'a'))
  await world.advanceBy(100)
  stop.goOn()
  await world.advanceBy(MINUTE_MS)
  const taken = [await slowly, await quickly, await run(other, onJob('claimStep', 'b'))]
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(1)
})

it('a start counts for its while, whoever else was about to make it', async () => {
  const stops = [new Stop(isWriteOf('a')), new Stop(isWriteOf('a'))] as const
  const { world, stores, other } = await open(stops)
  await run(other, steerQueue('ocr', { rate: { max: 1, per_ms: 10 * MINUTE_MS } }))
  for (const id of ['a', 'b']) await run(other, submitJob(id, { protocol: PUSHED }))
  const trying: Promise<boolean>[] = []
  for (const store of stores) {
    trying.push(run(store, onJob('takeOutbox', 'a')))
    await world.advanceBy(100)
  }
  for (const stop of stops) {
    stop.goOn()
    await world.advanceBy(100)
  }
  await world.advanceBy(MINUTE_MS)
  trying.push(run(other, onJob('takeOutbox', 'b')))
  await world.advanceBy(MINUTE_MS)
  const taken = await Promise.all(trying)
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(1)
})
