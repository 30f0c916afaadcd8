// A job was decided on, and before anything else of it could be written the service was away for longer than anybody waits. The caller
// was told that nothing was written, and the job was done all the same.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { ServerUnavailable } from '../../src/errors/postgres-errors.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'
import { isWriteOf } from './stop.ts'

it('whoever cannot finish what is decided does not say that nothing was written', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  let isDecided = false
  const after = (request: FakeRequest) => {
    isDecided ||= isWriteOf('j')(request)
    return undefined
  }
  const before = () => {
    if (isDecided) throw new ServerUnavailable('x', new Error('away'))
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
})
