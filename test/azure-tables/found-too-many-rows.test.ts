// A batch with a job and more than a hundred others that wait for it was begun, and came to a stop when the rows of those who wait
// were more than the service takes at once: an assertion failed, and keys and places were taken that nobody had. The history
// of a change that was too long was refused in time, but one of too many records was tried.
import { expect, it } from 'vitest'
import { decideBatch } from '../../src/core/batch.ts'
import { type Command, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { ALL_TABLES } from '../../src/store/azure-tables/table-names.ts'
import { moveDocument, submitJob } from '../../src/testing/conformance/commands.ts'
import { hurriedWorld } from './crash/cut-off.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))

const BATCHES: { readonly [what: string]: readonly Command[] } = {
  'a job that too many wait for': [
    submitJob('first', { inFlightLimit: 1000 }),
    ...many(120, (n) => submitJob(`j${n}`, { depends_on: ['first'], inFlightLimit: 1000 })),
  ],
  'too many records': many(1001, (n) => moveDocument(`d${n}`, 'fetching')),
}

it.each(Object.keys(BATCHES))('%s are refused before anything is written', async (what) => {
  const commands = BATCHES[what] as readonly Command[]
  const account = new FakeAccount()
  const store = await openOn(new FakeTableService(account), hurriedWorld())
  const outcome = store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
  await expect(outcome).rejects.toMatchObject({ code: 'CHANGE_TOO_LARGE' })
  await store.close()
  const kept = ALL_TABLES.filter((table) => table !== 'Index')
  expect(kept.flatMap((table) => account.query(table, {}).rows)).toEqual([])
})
