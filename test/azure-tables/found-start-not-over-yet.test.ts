// A decision has the time at which it was begun. Whether a start within a while still counted was looked at when the answer was
// there, a moment later: one that was over by then was over, though by the time of the decision it was not.
import { expect, it } from 'vitest'
import { type Command, decide, keyOf } from '../../src/core/command.ts'
import { SECOND_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { onJob, steerQueue, submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { Stop } from './stop.ts'

const run = async (store: Store, command: Command) =>
  (await store.transact([keyOf(command)], (given) => decide(command, given))).ok

it('a start counts for its while, by the time of whoever makes the next one', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const stop = new Stop(({ table, verb }) => table === 'Idempotency' && verb === 'query')
  const quick = await openOn(new FakeTableService(account), world)
  const slow = await openOn(new FakeTableService(account, stop), world)
  await run(quick, steerQueue('read', { rate: { max: 1, per_ms: 6 * SECOND_MS } }))
  for (const id of ['a', 'b']) await run(quick, submitJob(id))
  expect(await run(quick, onJob('claimStep', 'a'))).toBe(true)
  await world.advanceBy(6 * SECOND_MS - 10)
  const slowly = run(slow, onJob('claimStep', 'b'))
  await world.advanceBy(0)
  while (!stop.isReached) await world.advanceBy(1)
  await world.advanceBy(20)
  stop.goOn()
  await world.advanceBy(SECOND_MS)
  expect(await slowly).toBe(false)
})
