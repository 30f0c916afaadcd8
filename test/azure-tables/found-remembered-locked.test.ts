// A process was about to unlock a document that it had changed together with a job. Somebody else had done so by then, and was
// just changing the document again, so that it was locked. The first took what it found for its own: it changed the document as if
// nobody else was about to, both changes happened, and one of them was lost from the record.
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { type Command, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { moveDocument, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { isLine, isWriteOf, Stop } from './stop.ts'

const DOCUMENT = { kind: 'document', tenant_id: TENANT, id: 'd' } as const

const together = (store: Store, commands: readonly Command[]) =>
  store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))

/** The document is unlocked after the line. */
function beforeUnlocking(): Stop {
  let isTold = false
  return new Stop((request: FakeRequest) => {
    isTold ||= isLine(request)
    return isTold && request.table === 'Documents'
  })
}

it('what somebody else is about to change is not changed as if it was ours', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const unlocking = beforeUnlocking()
  const one = await openOn(new FakeTableService(account, unlocking), world)
  const first = together(one, [submitJob('j'), moveDocument('d', 'fetching')])
  await world.advanceBy(1)
  expect(unlocking.isReached).toBe(true)
  const deciding = new Stop(isWriteOf('k'))
  const other = await openOn(new FakeTableService(account, deciding), world)
  const reading = other.get(DOCUMENT)
  await world.advanceBy(100)
  expect((await reading)?.state).toBe('fetching')
  const second = together(other, [submitJob('k'), moveDocument('d', 'fetched')])
  await world.advanceBy(1)
  expect(deciding.isReached).toBe(true)
  unlocking.goOn()
  await first
  const third = together(one, [moveDocument('d', 'failed')])
  await world.advanceBy(1)
  deciding.goOn()
  await world.advanceBy(10_000)
  expect([await second, await third]).toMatchObject([{ ok: true }, { ok: true }])
  const told = (await auditAll(one)).filter(({ event, kind }) => event === 'moved' && kind === 'document')
  expect(told.map(({ new_state }) => new_state)).toEqual(['fetching', 'fetched', 'failed'])
  expect((await one.get(DOCUMENT))?.state).toBe('failed')
  expect(await other.check()).toEqual([])
})
