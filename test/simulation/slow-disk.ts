import { PowerLost } from '../../src/testing/crash/operation.ts'
import type { Disk, DiskFile } from '../../src/world/disk.ts'
import type { Timers } from '../../src/world/timers.ts'
import type { Dice } from './dice.ts'

/** How long the disk takes for something that it has to write. */
const USUALLY_MS = 3
const SOMETIMES_MS = 400

/**
 * The same disk, which takes its time: before it does what it was asked for, or before it says that it has. So others get
 * in between, and the power can go while something is under way.
 */
export function slowDisk(disk: Disk, timers: Timers, dice: Dice, onPowerLost: () => void): Disk {
  const pass = async () => {
    const ms = dice.chance(0.01) ? dice.between(1, SOMETIMES_MS) : dice.between(0, USUALLY_MS)
    if (ms > 0) await new Promise<void>((resolve) => timers.after(ms, resolve))
  }
  const watched = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (error instanceof PowerLost) onPowerLost()
      throw error
    }
  }
  const late = async <T>(act: () => Promise<T>): Promise<T> => {
    const isBefore = dice.chance(0.5)
    if (isBefore) await pass()
    const answer = await watched(act)
    if (!isBefore) await pass()
    return answer
  }
  const slowFile = (file: DiskFile): DiskFile => ({
    size: () => watched(() => file.size()),
    read: (position, length) => watched(() => file.read(position, length)),
    close: () => watched(() => file.close()),
    write: (position, bytes) => late(() => file.write(position, bytes)),
    writeThrough: (position, bytes) => late(() => file.writeThrough(position, bytes)),
    truncate: (size) => late(() => file.truncate(size)),
    sync: () => late(() => file.sync()),
  })
  return {
    open: async (path) => slowFile(await late(() => disk.open(path))),
    openToRead: (path) => watched(() => disk.openToRead(path)),
    list: (folder) => watched(() => disk.list(folder)),
    makeFolder: (folder) => late(() => disk.makeFolder(folder)),
    rename: (from, to) => late(() => disk.rename(from, to)),
    remove: (path) => late(() => disk.remove(path)),
    syncFolder: (folder) => late(() => disk.syncFolder(folder)),
    lock: (path) => watched(() => disk.lock(path)),
  }
}
