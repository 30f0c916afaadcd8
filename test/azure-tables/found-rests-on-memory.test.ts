// A process remembers what it wrote last, and a decision is made on that: should somebody else have changed it since, the write says
// so. What a decision only looked at is not written, though, and nobody said that it was old. A job waited for two others, of which
// this process remembered one as it had been before somebody else ended it. Told that both had ended, it struck off the one
// that it read, went on waiting for the one that it remembered, and took both signals for delivered: the job waited for ever.
import { expect, it } from 'vitest'
import { HOUR_MS } from '../../src/core/time.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import {
  fireSchedule,
  onJob,
  putSchedule,
  submitJob,
  TENANT,
} from '../../src/testing/conformance/commands.ts'
import { advanceAll } from '../../src/testing/conformance/work.ts'
import { type VirtualWorld, virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'

/** Two processes that have the same ledger. */
async function openTwo(world: VirtualWorld): Promise<readonly [Store, Store]> {
  const account = new FakeAccount()
  const open = () => openOn(new FakeTableService(account), world)
  return [await open(), await open()]
}

it('a job goes on when what it waits for has ended elsewhere, whoever is told of that', async () => {
  const [one, other] = await openTwo(virtualWorld())
  await run(one, submitJob('remembered'))
  await run(other, submitJob('read'))
  const depends_on = ['remembered', 'read']
  await run(other, submitJob('j', { depends_on, on_dependency_failure: 'release' }))
  await run(other, onJob('cancelJob', 'read'))
  await run(other, onJob('cancelJob', 'remembered'))
  await advanceAll(one, 'signalled')
  const job = await one.get({ kind: 'job', tenant_id: TENANT, id: 'j' })
  expect(job).toMatchObject({ waits_for: [], ready: { queue: 'read' } })
})

it('a time of a schedule is not passed over because of a job that has ended elsewhere', async () => {
  const world = virtualWorld()
  const [one, other] = await openTwo(world)
  const fire = async (job_id: string) => {
    await world.advanceBy(HOUR_MS)
    const schedule = await one.get({ kind: 'schedule', tenant_id: TENANT, id: 's' })
    if (schedule === null) return expect.unreachable('there is a schedule')
    return run(one, fireSchedule(schedule, job_id))
  }
  await run(one, putSchedule('s', { overlap: 'skip' }))
  expect(await fire('first')).toMatchObject({ answer: { job_id: 'first' } })
  await run(other, onJob('cancelJob', 'first'))
  expect(await fire('second')).toMatchObject({ answer: { job_id: 'second' } })
})
