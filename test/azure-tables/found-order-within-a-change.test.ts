// A change that told of a document, a job and the document again told of the job first: the record that decides came before
// the others. A copy whose history ended within such a change could not be gone on with: its last entry was not that of the
// ledger that it is a copy of.
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { moveDocument, submitJob } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { hurriedWorld } from './crash/cut-off.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

it('is told in the order in which it was decided', async () => {
  const store = await openOn(new FakeTableService(new FakeAccount()), hurriedWorld())
  const commands = [moveDocument('d', 'fetching'), submitJob('j'), moveDocument('d', 'fetched')]
  await store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
  const told = (await auditAll(store)).map(({ id, new_state }) => `${id} ${new_state}`)
  expect(told).toEqual(['d fetching', 'j QUEUED', 'd fetched'])
  await store.close()
})
