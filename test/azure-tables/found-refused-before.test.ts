// Somebody asked for a state that a document cannot go to, and that was put into the log. The line did not say that it rests on the one
// by which the document came to where it was; the clock of that process was a little behind, and so the log told of the refusal
// before it told of what it was about.
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { moveDocument, submitJob } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'

it('a refusal comes after what made it one', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const one = await openOn(new FakeTableService(account), world)
  // Lines have times of their own, a millisecond apart: the clock is behind them by then.
  for (const id of ['a', 'b', 'c']) await run(one, submitJob(id))
  const commands = [submitJob('j'), moveDocument('d', 'fetching')]
  await one.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
  const other = await openOn(new FakeTableService(account), world)
  expect((await run(other, moveDocument('d', 'completed'))).ok).toBe(false)
  const told = (await auditAll(one)).filter(({ kind }) => kind === 'document')
  expect(told.map(({ event }) => event)).toEqual(['moved', 'refused'])
})
