import { expect, it } from 'vitest'
import { Ledger } from '../../src/ledger/ledger.ts'
import { DEFAULT_SETTINGS } from '../../src/ledger/settings.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { LARGEST_PAGE } from '../../src/store/query.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { GatedDisk } from './gated-disk.ts'

const FOLDER = '/ledger'
/** More than are forgotten before others get their turn. */
const DOCUMENTS = 1500
/** The list of blocks, the first block, and the one that waits: by then some were passed over, being in memory. */
const WAITS_AT_READ = 3

// What was in memory when the snapshot was searched had left it when memory was, and was nowhere.
it('finds a record that leaves memory meanwhile', async () => {
  let isSecond = false
  let found: Promise<readonly string[]> | null = null
  let reads = 0
  const isMeant = (path: string) => found !== null && path.includes('/snapshot-') && ++reads === WAITS_AT_READ
  const world = virtualWorld()
  const gated = new GatedDisk(world.disk, 'read', isMeant)
  const turn = async () => {
    if (!isSecond) return
    found ??= ledger.documents
      .list({ limit: LARGEST_PAGE })
      .then(({ items }) => items.map(({ doc_id }) => doc_id))
    await gated.reached
  }
  const timers = { ...world.timers, after: world.timers.after.bind(world.timers), turn }
  const store = await openJournal(FOLDER, { ...world, disk: gated.disk, timers }, { snapshotSchedule: null })
  const ledger = new Ledger(store, DEFAULT_SETTINGS, world)
  // Those that are forgotten last are searched first.
  const ids = Array.from({ length: DOCUMENTS }, (_, i) => `doc:${9999 - i}`)
  await Promise.all(ids.map((id) => ledger.documents.updateState(id, 'fetching')))
  await ledger.compact()
  await ledger.documents.updateState('touched', 'fetching')
  isSecond = true
  await ledger.compact()
  gated.open()
  expect(await found).toEqual(ids.sort().slice(0, LARGEST_PAGE))
  await ledger.close()
})
