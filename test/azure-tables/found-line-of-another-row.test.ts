// A worker took a step, and the document moved with it: the job's row decided, and the document's said nothing of that any more
// once it was unlocked. Another process moved the document on, did not know which line of the log it rested on, and, its clock
// being a little behind, gave its own line an earlier time: the record said "parsing", and its history ended with "fetched".
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { type Command, keyOf } from '../../src/core/command.ts'
import { MINUTE_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { moveDocument, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MortalTimers } from '../simulation/mortal-timers.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { isLine, Stop } from './stop.ts'

const together = (store: Store, commands: readonly Command[]) =>
  store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))

const FIRST = [submitJob('j'), moveDocument('d', 'fetching')]

/** Lines have times of their own, a millisecond apart: the clock is behind them by then. */
async function getAhead(store: Store): Promise<void> {
  for (const id of ['a', 'b', 'c']) await together(store, [submitJob(id)])
}

async function mustBeInOrder(store: Store): Promise<void> {
  const told = await auditAll(store)
  const moves = told.filter(({ event, kind }) => event === 'moved' && kind === 'document')
  expect(moves.map(({ new_state }) => new_state)).toEqual(['fetching', 'fetched'])
  expect(await store.check()).toEqual([])
}

it('a change comes after the one before, also when that was decided by the row of something else', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const one = await openOn(new FakeTableService(account), world)
  await getAhead(one)
  await together(one, FIRST)
  const other = await openOn(new FakeTableService(account), world)
  await together(other, [moveDocument('d', 'fetched')])
  await mustBeInOrder(one)
})

it('the same, when somebody else unlocked it', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  let isTold = false
  const unlocking = new Stop((request) => {
    isTold ||= isLine(request) && request.writes?.some(({ rk }) => rk.includes('~j~')) === true
    return isTold && request.table === 'Documents'
  })
  const timers = new MortalTimers(world.timers)
  const one = await openOn(new FakeTableService(account, unlocking), { ...world, timers })
  await getAhead(one)
  void together(one, FIRST)
  await world.advanceBy(1)
  expect(unlocking.isReached).toBe(true)
  timers.die()
  const reader = await openOn(new FakeTableService(account), world)
  const reading = reader.get({ kind: 'document', tenant_id: TENANT, id: 'd' })
  await world.advanceBy(100)
  expect((await reading)?.state).toBe('fetching')
  world.clock.jumpTo(world.clock.now() - MINUTE_MS)
  const other = await openOn(new FakeTableService(account), world)
  await together(other, [moveDocument('d', 'fetched')])
  await mustBeInOrder(other)
})
