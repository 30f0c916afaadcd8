// The suite over Azurite: tables of its own for every test, opened twice where the suite has several writers. An emulator takes
// its time, and the fake has the whole suite in less: so every sixth test has its turn here, by chance these or those.
import type { StoreSubject } from 'waybill/testing'
import { openAzureTables } from '../../src/store/azure-tables/azure-tables.ts'
import { registerConformance } from '../conformance/register.ts'
import { oneOf } from '../fixtures/turns.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'

const prefixes = new Map<object, string>()

const open: StoreSubject['open'] = async (world) => {
  const prefix = prefixes.get(world.clock) ?? freshPrefix()
  prefixes.set(world.clock, prefix)
  return openAzureTables((await testTables()).address(prefix), world)
}

registerConformance(
  {
    name: 'azure tables',
    open,
    reopen: open,
    cleanUp: async () => {
      await dropTables(...prefixes.values())
      prefixes.clear()
    },
    patienceMs: 60_000,
    histories: { runs: 1, steps: 20 },
  },
  oneOf(6, 'test:azure-tables:long'),
)
