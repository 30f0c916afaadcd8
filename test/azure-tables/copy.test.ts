// Ledgers are copied into tables of Azure and back, whole or going on where it was cut off.
import { afterEach } from 'vitest'
import type { StoreSubject } from 'waybill/testing'
import { openAzureTables } from '../../src/store/azure-tables/azure-tables.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { systemTimers } from '../../src/world/timers.ts'
import type { World } from '../../src/world/world.ts'
import { type CopyTarget, registerCopies } from '../conformance/copying.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'

/** Tables of their own for every world. */
const prefixes = new Map<object, string>()

const open = async (world: World) => {
  const prefix = prefixes.get(world.disk) ?? freshPrefix()
  prefixes.set(world.disk, prefix)
  return openAzureTables((await testTables()).address(prefix), { ...world, timers: systemTimers })
}

afterEach(async () => {
  await dropTables(...prefixes.values())
  prefixes.clear()
})

const MEMORY: StoreSubject = { name: 'memory', open: async (world) => new MemoryStore(world) }
const JOURNAL: StoreSubject = {
  name: 'journal',
  open: (world) => openJournal('/ledger', world, { snapshotSchedule: null }),
}
const AZURE: StoreSubject = { name: 'azure tables', open }

const TO_MEMORY: CopyTarget = { name: 'memory', open: async (world) => new MemoryStore(world), lasts: false }
const TO_AZURE: CopyTarget = { name: 'azure tables', open, lasts: true }

registerCopies({ sources: [MEMORY, JOURNAL], targets: [TO_AZURE], runs: 1, steps: 20 })
registerCopies({ sources: [AZURE], targets: [TO_MEMORY, TO_AZURE], runs: 1, steps: 20 })
