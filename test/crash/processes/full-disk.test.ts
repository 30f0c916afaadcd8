import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../../src/core/command.ts'
import { DiskFull } from '../../../src/errors/journal-errors.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { JournalStore } from '../../../src/store/journal/journal-store.ts'
import { moveDocument } from '../../../src/testing/conformance/commands.ts'
import { realWorld } from '../../../src/world/world.ts'
import { scratch } from '../../e2e/scratch.ts'
import { readLedger } from '../naive-reader.ts'
import { filesIn } from './acknowledged.ts'

const ROOM_BYTES = 6 * 1024 * 1024
const FILLER_BYTES = 3 * 1024 * 1024
/** Of one document: a few dozen of them fill the disk. */
const CONTENT = 'x'.repeat(30_000)
const MOST_DOCUMENTS = 1000

/** A file system with so much room; or why there is none. */
function mountSmall(folder: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root may mount a small file system'
  mkdirSync(folder)
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM_BYTES}`, 'tmpfs', folder])
  return status === 0 ? null : `a small file system cannot be mounted: ${stderr}`
}

async function write(store: JournalStore, id: string): Promise<void> {
  const command = moveDocument(id, 'fetching', { metadata: { CONTENT } })
  await store.transact([keyOf(command)], (given) => decide(command, given))
}

/** Several at once, then one by one, until there is no room. Answers which were acknowledged. */
async function writeUntilFull(store: JournalStore): Promise<{ kept: string[]; refused: string[] }> {
  const kept: string[] = []
  const refused: string[] = []
  let least = 3
  for (let n = 0; least > 0; n += 3) {
    expect(n).toBeLessThan(MOST_DOCUMENTS)
    const ids = [n, n + 1, n + 2].slice(0, least).map((one) => `document-${one}`)
    const written = await Promise.allSettled(ids.map((id) => write(store, id)))
    for (const [index, one] of written.entries()) {
      if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(DiskFull)
      ;(one.status === 'fulfilled' ? kept : refused).push(ids[index] as string)
    }
    // Where there is no room for several, there may be for one.
    if (written.some(({ status }) => status === 'rejected')) least = least === 3 ? 1 : 0
  }
  return { kept, refused }
}

function documentsIn(folder: string): string[] {
  const { state } = readLedger(filesIn(folder), folder)
  return [...state.records.values()].map(({ doc_id }) => doc_id as string).sort()
}

it('refuses what a full disk has no room for, keeps the rest, and goes on when there is room', async (context) => {
  using place = scratch('full')
  const mounted = `${place.folder}/small`
  const reason = mountSmall(mounted)
  if (reason !== null) context.skip(`no small disk: ${reason}`)
  const folder = `${mounted}/ledger`
  try {
    writeFileSync(`${mounted}/filler`, Buffer.alloc(FILLER_BYTES))
    const store = await openJournal(folder, realWorld, { snapshotSchedule: null })
    const { kept, refused } = await writeUntilFull(store)
    expect(kept.length).toBeGreaterThan(10)
    await expect(write(store, 'still full')).rejects.toThrow(DiskFull)
    await expect(store.maintain()).rejects.toThrow(DiskFull)
    expect((await store.stats()).records.document).toBe(kept.length)
    expect(documentsIn(folder)).toEqual(kept.toSorted())
    rmSync(`${mounted}/filler`)
    await write(store, 'room again')
    expect(await store.maintain()).toMatchObject({ compacted: true })
    for (const id of refused) await write(store, id)
    await store.close()
    expect(documentsIn(folder)).toEqual([...kept, ...refused, 'room again'].sort())
    const again = await openJournal(folder, realWorld, { snapshotSchedule: null })
    expect(await again.check()).toEqual([])
    await again.close()
  } finally {
    spawnSync('umount', ['-l', mounted])
  }
})
