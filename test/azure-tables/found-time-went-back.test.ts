// A decision has the time at which it was begun. While it read the job, somebody else changed that, a second later; the
// decision was then made on what they had written, and the job was last changed before it was changed last.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { SECOND_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { annotate, heartbeat, onJob, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

const run = (store: Store, command: Parameters<typeof decide>[0]) =>
  store.transact([keyOf(command)], (given) => decide(command, given))

it('a record is never changed before it was changed last', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const reads: Promise<void>[] = []
  const slow = await openOn(new FakeTableService(account, { before: () => reads.shift() }), world)
  const quick = await openOn(new FakeTableService(account), world)
  await run(quick, submitJob('j'))
  const { promise, resolve } = Promise.withResolvers<void>()
  reads.push(promise)
  const slowly = run(slow, annotate('j', { by: 'slow' }))
  await world.advanceBy(SECOND_MS)
  await run(quick, annotate('j', { by: 'quick' }))
  const before = await quick.get({ kind: 'job', tenant_id: TENANT, id: 'j' })
  resolve()
  await slowly
  const after = await quick.get({ kind: 'job', tenant_id: TENANT, id: 'j' })
  expect(after?.etag).not.toBe(before?.etag)
  expect(String(after?.updated_at) >= String(before?.updated_at)).toBe(true)
})

it('a step is never changed before it was changed last, though a heartbeat changes nothing else', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const open = (aheadMs: number) => {
    const clock = { now: () => world.clock.now() + aheadMs }
    return openOn(new FakeTableService(account), { ...world, clock })
  }
  const [ahead, behind] = [await open(SECOND_MS), await open(0)]
  await run(behind, submitJob('j'))
  await run(behind, onJob('claimStep', 'j'))
  const stepOf = async () => (await ahead.load({ kind: 'job', tenant_id: TENANT, id: 'j' }))?.steps[0]
  const step = await stepOf()
  if (step === undefined) throw new Error('it has a step')
  await run(ahead, heartbeat(step))
  const before = await stepOf()
  await run(behind, heartbeat(step))
  expect(String((await stepOf())?.updated_at) >= String(before?.updated_at)).toBe(true)
})
