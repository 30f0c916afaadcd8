// Somebody waited for a job to end, and the ledger was closed while it was being found out where its log ends. The log could
// not be followed then, nor could they be called otherwise; nobody caught that, and it ended the process.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { LedgerClosed } from '../../src/errors/input-errors.ts'
import { JobEnds } from '../../src/ledger/job-ends.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

it('whoever waits for a job is told that the ledger was closed', async () => {
  const world = virtualWorld()
  const store = await openOn(new FakeTableService(new FakeAccount()), world)
  const command = submitJob('j')
  await store.transact([keyOf(command)], (given) => decide(command, given))
  const waiting = new JobEnds(store, null, world.timers).result({ tenant_id: TENANT, job_id: 'j' }, {})
  const told = expect(waiting).rejects.toBeInstanceOf(LedgerClosed)
  await store.close()
  await told
})
