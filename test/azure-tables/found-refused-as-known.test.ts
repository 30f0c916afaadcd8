// The same request, under an id of its own, was sent to two processes at once. One of them had lost a race for a place, and asked
// once more who owns the key: nobody did. Then the other one accepted the request, and the first found the job there that it was
// to make: it said that there is such a job already, for another request.
import { expect, it } from 'vitest'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { onJob, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { run } from './run.ts'

const isOfKey = ({ table, verb }: FakeRequest) => table === 'Idempotency' && verb !== 'query'

it('a request that somebody else has just accepted is answered with its job', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const quick = await openOn(new FakeTableService(account), world)
  const request = submitJob('j', { inFlightLimit: 1 })
  const meanwhile = [
    // Before the key and the place are taken: the place is gone.
    () => run(quick, submitJob('other', { inFlightLimit: 1 })),
    // After it was looked up whose the key is.
    () => run(quick, onJob('cancelJob', 'other')).then(() => run(quick, request)),
  ]
  const before = async (sent: FakeRequest) => {
    if (isOfKey(sent) && sent.verb === 'write') await meanwhile.shift()?.()
  }
  const after = async (sent: FakeRequest) => {
    if (isOfKey(sent) && sent.verb === 'get') await meanwhile.shift()?.()
  }
  const slow = await openOn(new FakeTableService(account, { before, after }), world)
  const outcome = await run(slow, request)
  expect(meanwhile).toEqual([])
  expect(outcome).toMatchObject({ ok: true, answer: { job_id: 'j', duplicate: true } })
  expect(await quick.counts('job', TENANT)).toMatchObject({ QUEUED: 1 })
  expect(await slow.check()).toEqual([])
})
