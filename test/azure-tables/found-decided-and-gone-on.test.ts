// A process decided on a document, and the answer was lost. Until it had asked again somebody else had finished what it had begun,
// and changed the document once more: the row named that change, and no longer the first one. So the first process took its own
// for never decided, and made it a second time: what was added was there twice, what had been lifted was set again.
import { expect, it } from 'vitest'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'
import { run } from './run.ts'

/** One that loses the answer to its first decision; meanwhile something else is done. */
async function openUnlucky(
  account: FakeAccount,
  world: ReturnType<typeof virtualWorld>,
  meanwhile: () => Promise<unknown>,
) {
  let isLost = false
  const after = async ({ table, writes = [] }: FakeRequest) => {
    const isDecided =
      table !== 'Index' && writes.some((write) => 'columns' in write && '_last' in write.columns)
    if (isLost || !isDecided) return
    isLost = true
    await meanwhile()
    return 'lost'
  }
  return openOn(new FakeTableService(account, { after }), world)
}

it('what was decided is not decided again when it was changed again since', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const other = await openOn(new FakeTableService(account), world)
  await run(other, moveDocument('d', 'fetching'))
  const store = await openUnlucky(account, world, async () => {
    for (const state of ['retrying', 'fetching'] as const)
      expect((await run(other, moveDocument('d', state))).ok).toBe(true)
  })
  // Both ways are legal: it could be done again.
  const outcome = await passing(world, run(store, moveDocument('d', 'failed')))
  expect(outcome.ok).toBe(true)
  const told = await auditAll(store, { kind: 'document' })
  expect(told.map(({ new_state }) => new_state)).toEqual(['fetching', 'failed', 'retrying', 'fetching'])
  expect((await other.get({ kind: 'document', tenant_id: TENANT, id: 'd' }))?.state).toBe('fetching')
  expect(await other.check()).toEqual([])
})

it('nor is a job that was new submitted as if there was one already', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const other = await openOn(new FakeTableService(account), world)
  await run(other, submitJob('before'))
  const store = await openUnlucky(account, world, () => run(other, onJob('claimStep', 'j')))
  const outcome = await passing(world, run(store, submitJob('j')))
  expect(outcome).toMatchObject({ ok: true, answer: { job_id: 'j', duplicate: false } })
  const told = await auditAll(store, { kind: 'job', job_id: 'j', tenant_id: TENANT })
  expect(told.map(({ new_state }) => new_state)).toEqual(['QUEUED', 'DISPATCHING', 'IN_PROGRESS'])
  expect(await other.check()).toEqual([])
})
