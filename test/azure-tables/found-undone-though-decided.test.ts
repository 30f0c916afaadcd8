// A job was decided on, and the answer was lost; before the process could ask what had become of it, the service was away for longer
// than anybody waits. The caller was told that nothing was written, and when the service was back just then, the key and the place
// of a job that was there were given back.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { ServerUnavailable } from '../../src/errors/postgres-errors.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'
import { isWriteOf } from './stop.ts'

it('what may have been decided is not undone', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  let lost = 0
  const after = (request: FakeRequest) => (isWriteOf('j')(request) && lost++ === 0 ? 'lost' : undefined)
  const before = ({ table, verb }: FakeRequest) => {
    if (lost > 0 && table === 'Steps' && verb === 'get') throw new ServerUnavailable('x', new Error('away'))
  }
  const store = await openOn(new FakeTableService(account, { before, after }), world)
  const command = submitJob('j')
  const submitting = store.transact([keyOf(command)], (given) => decide(command, given))
  await expect(passing(world, submitting)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  const other = await openOn(new FakeTableService(account), world)
  const again = await passing(
    world,
    other.transact([keyOf(command)], (given) => decide(command, given)),
  )
  expect(again).toMatchObject({ ok: true, answer: { job_id: 'j', duplicate: true } })
  expect(await other.counts('job', TENANT)).toMatchObject({ QUEUED: 1 })
  expect(await other.check()).toEqual([])
})
