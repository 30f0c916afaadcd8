// A worker looked for work while this very process took its first lane. The list of lanes had been read before that, and its
// answer came after: the process forgot its own lane, found nothing to do in any other, and slept on what it had submitted.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { LEDGER } from '../../src/store/azure-tables/ledger-rows.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { INDEX } from '../../src/store/azure-tables/table-names.ts'
import { submitJob } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'

it('a list of lanes that was read before one was taken does not make it forgotten', async () => {
  const slow = Promise.withResolvers<void>()
  let isSlow = false
  const after = ({ table, pk, verb }: FakeRequest) =>
    isSlow && table === INDEX && pk === LEDGER && verb === 'query' ? slow.promise : undefined
  const store = await openOn(new FakeTableService(new FakeAccount(), { after }), virtualWorld())
  const look = () => store.ready(['read'], 1, (heads) => heads.map(({ key }) => key.id))
  isSlow = true
  const early = look()
  const command = submitJob('j')
  await store.transact([keyOf(command)], (given) => decide(command, given))
  slow.resolve()
  await early
  expect(await look()).toEqual(['j'])
})
