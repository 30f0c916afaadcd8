// The suite over SQLite: a file of its own for every test, opened twice where the suite has several writers. Every
// other test has its turn.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { StoreSubject } from 'waybill/testing'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { oneOf } from '../fixtures/turns.ts'
import { registerConformance } from './register.ts'

const folders = new Map<object, string>()

const open: StoreSubject['open'] = (world) => {
  const folder = folders.get(world.clock) ?? quickFolder('waybill-sqlite-')
  folders.set(world.clock, folder)
  return openSqlite(`sqlite:${join(folder, 'ledger.db')}`, { ...world, disk: nodeDisk })
}

registerConformance(
  {
    name: 'sqlite',
    open,
    reopen: open,
    cleanUp: async () => {
      for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true })
      folders.clear()
    },
    histories: { runs: 3 },
  },
  oneOf(2, 'test:conformance:long'),
)
