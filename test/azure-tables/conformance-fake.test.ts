import type { StoreSubject } from 'waybill/testing'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { registerConformance } from '../conformance/register.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

const accounts = new WeakMap<object, FakeAccount>()

const open: StoreSubject['open'] = (world) => {
  const account = accounts.get(world.clock) ?? new FakeAccount()
  accounts.set(world.clock, account)
  return openOn(new FakeTableService(account), world)
}

registerConformance({ name: 'azure tables, in memory', open, reopen: open, histories: { runs: 5 } })
