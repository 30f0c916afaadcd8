// A line was written to the log, its answer was lost, and before it was tried again somebody took the lane. Whoever had
// written it saw that the lane was not theirs any more and wrote the line to another one: jobs were counted twice, and the
// history told everything twice.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { Lane } from '../../src/store/azure-tables/lane.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'

it('a line is told once, also when its lane is lost before that is known', async () => {
  const account = new FakeAccount()
  const others = new FakeTableService(account)
  const take = () =>
    Lane.take({ service: others, number: 0, owner: 'another', id: 'once', time: () => 0, onLine: () => {} })
  let isLost = false
  const after = async ({ writes = [] }: FakeRequest) => {
    if (isLost || !writes.some((write) => write.verb === 'insert' && 'changes' in write.columns)) return
    isLost = true
    await take()
    return 'lost'
  }
  const store = await openOn(new FakeTableService(account, { after }), virtualWorld())
  const command = submitJob('j')
  await store.transact([keyOf(command)], (given) => decide(command, given))
  expect(isLost).toBe(true)
  expect(await store.counts('job', TENANT)).toMatchObject({ QUEUED: 1 })
  const { items } = await store.audit({ kind: 'job' })
  expect(items.map(({ new_state }) => new_state)).toEqual(['QUEUED'])
  expect(await store.check()).toEqual([])
  await store.close()
})
