// A process decided on a job and did not get the answer. Before it came to ask, another one had found the job half done and had
// taken it over; the first one took the row as that had left it for its own, and told of the change once more.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'

const run = (store: Store, command: Parameters<typeof decide>[0]) =>
  store.transact([keyOf(command)], (given) => decide(command, given))

it('a change is told once, also when who decided it learns of that after others have finished it', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const other = await openOn(new FakeTableService(account), world)
  // It has a lane of its own.
  await run(other, submitJob('before'))
  let isLost = false
  const after = async ({ table, writes = [] }: FakeRequest) => {
    const isDecided =
      table === 'Steps' && writes.some((write) => 'columns' in write && '_last' in write.columns)
    if (isLost || !isDecided) return
    isLost = true
    // It is refused, but not before what is there is finished.
    expect((await run(other, submitJob('j', { payload: { another: true } }))).ok).toBe(false)
    return 'lost'
  }
  const store = await openOn(new FakeTableService(account, { after }), world)
  await passing(world, run(store, submitJob('j')))
  expect(isLost).toBe(true)
  expect(await other.counts('job', TENANT)).toMatchObject({ QUEUED: 2 })
  const { items } = await other.audit({ kind: 'job', id: 'j', tenant_id: TENANT })
  expect(items.map(({ event }) => event)).toEqual(['moved'])
  expect(await other.check()).toEqual([])
  await passing(world, Promise.all([store.close(), other.close()]))
})
