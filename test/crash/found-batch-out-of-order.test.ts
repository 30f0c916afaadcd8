// Found by random histories: a batch that expedites a job and cancels it touched its second step after the job itself.
// The line then had two lists of steps, of which readers of JSON see the last, so the first step was as before when
// the ledger was opened again.
import { expect, it } from 'vitest'
import { openLedger } from '../../src/open-ledger.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { protocolOf, pushed } from '../fixtures/job-commands.ts'
import { requestOf } from '../fixtures/live-ledger.ts'

it('a batch that touches a job twice is read as it was written', async () => {
  const options = {
    world: virtualWorld(),
    tenant_id: 't1',
    protocols: [protocolOf(pushed('first'), pushed('second'))],
  }
  const ledger = await openLedger('/ledger', options)
  const { job_id } = await ledger.jobs.submit(requestOf())
  await ledger.batch((make) => [
    make.expedite(job_id, { ignore: ['attempt'] }),
    make.cancel(job_id),
    make.updateState('doc:1', 'fetching'),
  ])
  const written = await ledger.jobs.show(job_id)
  expect(written?.steps.map(({ state, attempt_no }) => [state, attempt_no])).toEqual([
    ['CANCELLED', 2],
    ['CANCELLED', 0],
  ])
  await ledger.close()
  await using again = await openLedger('/ledger', options)
  expect(await again.jobs.show(job_id)).toEqual(written)
})
