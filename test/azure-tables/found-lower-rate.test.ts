// Places under a rate keep their rows when their time is over. After the rate was lowered those above it were counted as
// held: no place was free, though nobody held one, and nothing came out of the queue any more.
import { expect, it } from 'vitest'
import { type Command, decide, keyOf } from '../../src/core/command.ts'
import { MINUTE_MS, SECOND_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { onJob, steerQueue, submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

it('a rate that was lowered counts those who began within its span, and nobody else', async () => {
  const world = virtualWorld()
  const store = await openOn(new FakeTableService(new FakeAccount()), world)
  const run = (command: Command) => store.transact([keyOf(command)], (given) => decide(command, given))
  for (const id of ['a', 'b']) await run(submitJob(id))
  // With so many places it is hardly ever the first one.
  await run(steerQueue('read', { rate: { max: 1_000_000, per_ms: SECOND_MS } }))
  await run(onJob('claimStep', 'a'))
  await world.advanceBy(MINUTE_MS)
  await run(steerQueue('read', { rate: { max: 1, per_ms: SECOND_MS } }))
  expect((await run(onJob('claimStep', 'b'))).ok).toBe(true)
})
