// FOUND BY THE CRASH TESTS. The story: somebody opens a ledger to read when a snapshot has been made and the delta that led
// there is not sealed yet. Then the delta becomes a segment and goes. The reader has no reason to start again, since the
// snapshot and the newest delta are still there; but the history that it lists has the delta that is gone in it, for ever,
// and every look at the history fails.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalOptions } from '../../src/store/journal/journal-options.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { type VirtualWorld, virtualWorld } from '../../src/testing/virtual-world.ts'
import type { Disk } from '../../src/world/disk.ts'
import { GatedDisk } from './gated-disk.ts'
import { FOLDER } from './life.ts'

/** Waits when the snapshot has its name, and the segment is read again before it gets its own. */
function beforeSealing(disk: Disk): GatedDisk {
  return new GatedDisk(disk, 'openToRead', (path) => path.includes('/audit/') && path.endsWith('.tmp'))
}

async function ledgerOf(world: VirtualWorld, { disk }: { readonly disk: Disk }, more: JournalOptions = {}) {
  const writer = await openJournal(FOLDER, { ...world, disk }, { keepSnapshots: 1, ...more })
  const move = (state: DocumentState, doc_id = 'a') => {
    const command = moveDocument(doc_id, state, { validate: false })
    return writer.transact([keyOf(command)], (given) => decide(command, given))
  }
  return { writer, move }
}

it('reads the history when a delta that the snapshot has already is sealed', async () => {
  const world = virtualWorld()
  const gated = beforeSealing(world.disk)
  const { writer, move } = await ledgerOf(world, gated)
  await move('fetching')
  const maintaining = writer.maintain()
  await gated.reached
  expect((await world.disk.list(FOLDER)).filter((name) => name.startsWith('snapshot-'))).toHaveLength(1)
  const reader = await openJournal(FOLDER, world, { readOnly: true })
  expect(await auditAll(reader)).toHaveLength(1)
  gated.open()
  await maintaining
  expect(await auditAll(reader)).toHaveLength(1)
  await move('fetched')
  expect(await auditAll(reader)).toHaveLength(2)
})

// The same moment, a little later: the segment is there, and the delta has not gone yet. Whoever had opened the delta by
// then saw its history twice.
it('sees no history twice while a delta and its segment are both there', async () => {
  const world = virtualWorld()
  const gated = new GatedDisk(world.disk, 'remove', (path) => path.includes('/delta-'))
  const { writer, move } = await ledgerOf(world, gated)
  await move('fetching')
  const reader = await openJournal(FOLDER, world, { readOnly: true })
  expect(await auditAll(reader)).toHaveLength(1)
  const maintaining = writer.maintain()
  await gated.reached
  expect(await auditAll(reader)).toHaveLength(1)
  gated.open()
  await maintaining
  expect(await auditAll(reader)).toHaveLength(1)
})

// Between listing the files and opening them a delta was sealed. The reader took the file that is gone for damage.
it('meets no damage when a delta is sealed between the listing of the files and the reading of them', async () => {
  const world = virtualWorld()
  const { writer, move } = await ledgerOf(world, world)
  await move('fetching')
  const gated = new GatedDisk(world.disk, 'openToRead', (path) => path.includes('/delta-'))
  const opening = openJournal(FOLDER, { ...world, disk: gated.disk }, { readOnly: true })
  await gated.reached
  await writer.maintain()
  await move('fetched')
  gated.open()
  const reader = await opening
  expect(await auditAll(reader)).toHaveLength(2)
  expect((await reader.stats()).storage?.damage).toBeNull()
  expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
})

// A reader starts again when its snapshot was retired. Somebody else was in the middle of a search in it, and got only
// what was in memory.
it('finds what rests in the snapshot while another read starts again from a newer one', async () => {
  const world = virtualWorld()
  const { writer, move } = await ledgerOf(world, world)
  await move('skipped')
  await writer.maintain()
  const gated = new GatedDisk(world.disk, 'read', (path) => path.includes('/snapshot-'), false)
  const reader = await openJournal(FOLDER, { ...world, disk: gated.disk }, { readOnly: true })
  gated.shut()
  const finding = reader.find({ kind: 'document' })
  await gated.reached
  await move('completed', 'b')
  await writer.maintain()
  await reader.stats()
  gated.open()
  expect((await finding).items.map(({ doc_id }) => doc_id)).toContain('a')
})

// The first story again, where old history goes: there is no segment of the delta that is gone, and so nothing that says so.
it('reads what is left of the history when a delta was sealed and its segment has gone already', async () => {
  const world = virtualWorld()
  const gated = beforeSealing(world.disk)
  const { writer, move } = await ledgerOf(world, gated, { keepHistoryMs: 0 })
  await move('fetching')
  await world.advanceBy(1000)
  const maintaining = writer.maintain()
  await gated.reached
  const reader = await openJournal(FOLDER, world, { readOnly: true })
  gated.open()
  await maintaining
  await move('fetched')
  expect(await auditAll(reader)).toHaveLength(1)
})

// A segment goes, by retention, while somebody else reads it. It was taken for damage: the file is missing.
it('reads what is left of the history when a segment goes while it is read', async () => {
  const world = virtualWorld()
  const { writer, move } = await ledgerOf(world, world, { keepHistoryMs: 5000 })
  await move('fetching')
  await writer.maintain()
  await move('fetched')
  const gated = new GatedDisk(world.disk, 'openToRead', (path) => path.includes('/audit/'), false)
  const reader = await openJournal(FOLDER, { ...world, disk: gated.disk }, { readOnly: true })
  gated.shut()
  const reading = auditAll(reader)
  await gated.reached
  await world.advanceBy(10_000)
  await move('parsing')
  await writer.maintain()
  gated.open()
  const seqs = (await reading).map(({ seq }) => seq)
  // What goes may have been there when it was asked for.
  expect(seqs).toEqual([1, 2, 3].slice(-seqs.length))
  expect(seqs).toContain(3)
})

// Somebody asks while the reader is still looking for somebody else, and is given what that look found: it began before
// something was acknowledged that whoever asks has heard of.
it('shows what was acknowledged before it was asked, also when it is looking already', async () => {
  const world = virtualWorld()
  const { move } = await ledgerOf(world, world)
  await move('fetching')
  let listed = 0
  // The first time is before the delta is read, the second after it.
  const gated = new GatedDisk(world.disk, 'list', (path) => path.endsWith('/audit') && ++listed === 2, false)
  const reader = await openJournal(FOLDER, { ...world, disk: gated.disk }, { readOnly: true })
  gated.shut()
  listed = 0
  const early = reader.find({ kind: 'document' })
  await gated.reached
  await move('fetched')
  const asked = reader.find({ kind: 'document' })
  gated.open()
  expect((await early).items[0]?.state).toMatch(/^fetch(ing|ed)$/)
  expect((await asked).items).toMatchObject([{ state: 'fetched' }])
})
