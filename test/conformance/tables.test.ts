// What engines with tables have in common, over tables in memory: by itself, and losing every third race.
import type { StoreSubject } from 'waybill/testing'
import { TableStore, type TableStoreOptions } from '../../src/store/tables/table-store.ts'
import { MemoryDatabase } from '../tables/memory-database.ts'
import { MemoryTables, type MemoryTablesOptions } from '../tables/memory-tables.ts'
import { registerConformance } from './register.ts'

function subject(
  name: string,
  options: () => MemoryTablesOptions,
  ready?: TableStoreOptions['ready'],
): StoreSubject {
  const databases = new WeakMap<object, MemoryDatabase>()
  const open: StoreSubject['open'] = (world) => {
    const database = databases.get(world.clock) ?? new MemoryDatabase()
    databases.set(world.clock, database)
    return TableStore.on({
      engine: 'tables in memory',
      watch: 'push',
      tables: new MemoryTables(database, options()),
      world,
      clock: world.clock,
      keepHistoryMs: null,
      writesInPlace: 0,
      ready,
    })
  }
  return { name, open, reopen: open, histories: { runs: 10 } }
}

registerConformance(subject('tables', () => ({})))

registerConformance(
  subject('tables that lose every third race', () => {
    let writes = 0
    return { loses: () => ++writes % 3 === 0 }
  }),
)

registerConformance(subject('tables that keep little in mind', () => ({}), { kept: 2, read: 2 }))
