// Lines have times of their own: several within a millisecond are a millisecond apart. Somebody took a job as the index
// had it, had not seen the line that it came with, and gave its own line an earlier time: in the history the job was begun before
// it was there.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { decideJob } from '../../src/core/job/decide.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { onJob, submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

it('a line comes after those that it rests on, whoever has seen them', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const open = () => openOn(new FakeTableService(account), world)
  const [one, other] = [await open(), await open()]
  for (const id of ['a', 'b', 'c', 'd']) {
    const command = submitJob(id)
    await one.transact([keyOf(command)], (given) => decide(command, given))
  }
  const swept = await other.sweep(
    {
      what: 'ready',
      queues: ['read'],
      perGroup: 5,
      pick: (heads) => heads.filter(({ key }) => key.id === 'd'),
    },
    ({ id }, given) => decideJob(onJob('claimStep', id), given),
  )
  expect(swept.map(({ outcome }) => outcome.ok)).toEqual([true])
  const { items } = await one.audit({ kind: 'job', job_id: 'd' })
  const all = (await one.audit({ kind: 'job' })).items.filter(({ id }) => id === 'd')
  expect(all.map(({ new_state }) => new_state)).toEqual(items.map(({ new_state }) => new_state))
  expect(await one.check()).toEqual([])
})
