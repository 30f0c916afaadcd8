// The suite over PostgreSQL: a database of its own for every test, opened twice where the suite has several writers. Every
// third test has its turn.
import type { StoreSubject } from 'waybill/testing'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { registerConformance } from '../conformance/register.ts'
import { oneOf } from '../fixtures/turns.ts'
import { type FreshLedger, freshLedger } from './server.ts'

const ledgers = new Map<object, Promise<FreshLedger>>()

const open: StoreSubject['open'] = async (world) => {
  const ledger = ledgers.get(world.clock) ?? freshLedger()
  ledgers.set(world.clock, ledger)
  return openPostgres((await ledger).url, world)
}

registerConformance(
  {
    name: 'postgres',
    open,
    reopen: open,
    cleanUp: async () => {
      for (const ledger of ledgers.values()) await (await ledger).drop()
      ledgers.clear()
    },
    histories: { runs: 1 },
  },
  oneOf(3, 'test:postgres:long'),
)
