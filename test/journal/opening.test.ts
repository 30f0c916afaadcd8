// What opening reads is counted and not timed: on a busy machine a clock says nothing.
import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/core/command.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import type { Disk } from '../../src/world/disk.ts'
import { FOLDER, Life } from '../crash/life.ts'

const journal = { snapshotSchedule: null }
const OPEN = 50

/** How many bytes are read to open the ledger. */
async function bytesToOpen(disk: CrashDisk): Promise<number> {
  let read = 0
  const counting: Disk = {
    open: (path) => disk.open(path),
    openToRead: async (path) => {
      const file = await disk.openToRead(path)
      return (
        file && {
          size: () => file.size(),
          close: () => file.close(),
          read: async (position, length) => {
            const bytes = await file.read(position, length)
            read += bytes.length
            return bytes
          },
        }
      )
    },
    list: (folder) => disk.list(folder),
    makeFolder: (folder) => disk.makeFolder(folder),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (folder) => disk.syncFolder(folder),
    lock: (path) => disk.lock(path),
  }
  const store = await openJournal(FOLDER, virtualWorld({ disk: counting, seed: 2 }), journal)
  await store.close()
  return read
}

async function ledgerWith(settled: number, rounds = 1): Promise<CrashDisk> {
  const life = new Life({ disk: new CrashDisk(), journal })
  await life.open()
  const commands: Command[] = []
  for (let n = 0; n < OPEN; n++) commands.push(moveDocument(`open-${n}`, 'fetching'))
  for (let n = 0; n < settled; n++) commands.push(moveDocument(`settled-${n}`, 'skipped'))
  await life.together(commands)
  for (let round = 1; round < rounds; round++) {
    await life.together(commands.slice(0, OPEN).map((command) => again(command, round)))
    await life.maintain()
  }
  await life.maintain()
  await life.do(moveDocument('in the delta', 'fetching'))
  return life.disk.afterKill()
}

function again(command: Command, round: number): Command {
  const state = round % 2 === 1 ? 'fetched' : 'fetching'
  return { ...(command as ReturnType<typeof moveDocument>), state, validate: false }
}

describe('A39: opening', () => {
  it('reads as much with ten thousand settled records as with a hundred', async () => {
    const few = await bytesToOpen(await ledgerWith(100))
    const many = await bytesToOpen(await ledgerWith(10_000))
    // The index knows one page more.
    expect(many).toBeLessThan(few + 2000)
  })

  it('reads as much after a long history as after a short one', async () => {
    const short = await bytesToOpen(await ledgerWith(100, 2))
    const long = await bytesToOpen(await ledgerWith(100, 20))
    expect(long).toBeLessThan(short + 2000)
  })
})
