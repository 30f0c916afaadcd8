// The suite over the journal: on a disk in memory, on the real one, and with a snapshot after every write, so that as
// little as possible is in memory. The first has all of it; of the other two every third test has its turn.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreSubject } from 'waybill/testing'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalOptions } from '../../src/store/journal/journal-options.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { oneOf } from '../fixtures/turns.ts'
import { registerConformance } from './register.ts'

function inMemory(name: string, options: JournalOptions): StoreSubject {
  const open: StoreSubject['open'] = (world) => openJournal('/ledger', world, options)
  return { name, open, reopen: open, histories: { runs: 6 } }
}

registerConformance(inMemory('journal', { snapshotSchedule: null }))

registerConformance(
  inMemory('journal with a snapshot after every write', { snapshotSchedule: null, snapshotAfterBytes: 1 }),
  oneOf(3, 'test:conformance:long'),
)

const folders = new WeakMap<object, string>()

function folderOf(world: object): string {
  const folder = folders.get(world) ?? mkdtempSync(join(tmpdir(), 'waybill-conformance-'))
  folders.set(world, folder)
  return folder
}

const used: string[] = []

registerConformance(
  {
    name: 'journal on the real disk',
    open: (world) => {
      used.push(folderOf(world))
      return openJournal(folderOf(world), { ...world, disk: nodeDisk })
    },
    reopen: (world) => openJournal(folderOf(world), { ...world, disk: nodeDisk }),
    cleanUp: async () => {
      for (const folder of used.splice(0)) rmSync(folder, { recursive: true, force: true })
    },
    histories: { runs: 3 },
  },
  oneOf(3, 'test:conformance:long'),
)
