// FOUND BY THE CRASH TESTS. The story: a ledger keeps no old history, and is checked at the moment when a snapshot is made of
// it: a segment that was just listed goes before it is read. It was taken for damage: the file is missing.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import { LedgerClosed } from '../../src/errors/input-errors.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import type { Disk } from '../../src/world/disk.ts'
import { GatedDisk } from './gated-disk.ts'
import { FOLDER } from './life.ts'

/** Two segments that may go as soon as there is another snapshot. */
async function forgetfulLedger(disk: (disk: Disk) => Disk = (same) => same) {
  const world = virtualWorld()
  const options = { keepSnapshots: 1, keepHistoryMs: 5000 }
  const writer = await openJournal(FOLDER, { ...world, disk: disk(world.disk) }, options)
  const move = async (state: DocumentState) => {
    const command = moveDocument('a', state, { validate: false })
    await writer.transact([keyOf(command)], (given) => decide(command, given))
  }
  for (const state of ['fetching', 'fetched'] as const) {
    await move(state)
    await writer.maintain()
  }
  await world.advanceBy(10_000)
  await move('parsing')
  return { world, writer }
}

const isSegment = (path: string) => path.includes('/audit/')

it('finds nothing wrong while its own writer retires history', async () => {
  let gated = null as GatedDisk | null
  const { writer } = await forgetfulLedger((disk) => {
    gated = new GatedDisk(disk, 'openToRead', isSegment, false)
    return gated.disk
  })
  gated?.shut()
  const checking = writer.check()
  await gated?.reached
  const maintaining = writer.maintain()
  gated?.open()
  expect(await checking).toEqual([])
  expect((await maintaining).removed_audit_records).toBe(2)
  expect(await writer.check()).toEqual([])
})

it('finds nothing wrong while somebody else retires history', async () => {
  const { world, writer } = await forgetfulLedger()
  const gated = new GatedDisk(world.disk, 'openToRead', isSegment, false)
  const reader = await openJournal(FOLDER, { ...world, disk: gated.disk }, { readOnly: true })
  gated.shut()
  const checking = reader.check()
  await gated.reached
  expect((await writer.maintain()).removed_audit_records).toBe(2)
  gated.open()
  expect(await checking).toEqual([])
})

// A snapshot that waited for the check to end began when the ledger had been closed.
it('makes no snapshot of a ledger that was closed meanwhile', async () => {
  const world = virtualWorld()
  const gated = new GatedDisk(world.disk, 'openToRead', isSegment, false)
  const writer = await openJournal(FOLDER, { ...world, disk: gated.disk })
  const command = moveDocument('a', 'fetching')
  await writer.transact([keyOf(command)], (given) => decide(command, given))
  await writer.maintain()
  gated.shut()
  const checking = writer.check().catch((error: unknown) => error)
  await gated.reached
  const maintaining = writer.maintain().catch((error: unknown) => error)
  const closing = writer.close()
  gated.open()
  await closing
  expect(await checking).toBeInstanceOf(LedgerClosed)
  expect(await maintaining).toBeInstanceOf(LedgerClosed)
})
