import type { Disk, DiskFile, DiskReader } from '../../src/world/disk.ts'
import type { Random } from '../../src/world/random.ts'

/**
 * The same disk, which takes its time: everything begins some turns of the event loop after it was asked for, so that others
 * get in between. A disk in memory that answers at once would let nobody in, and hide whatever happens then.
 */
export function slowDisk(disk: Disk, random: Random): Disk {
  const late = async <T>(act: () => Promise<T>): Promise<T> => {
    for (let turns = Math.floor(random.next() * 4); turns > 0; turns--) await turn()
    return act()
  }
  return {
    open: (path) => late(async () => slowFile(await disk.open(path), late)),
    openToRead: (path) =>
      late(async () => {
        const file = await disk.openToRead(path)
        return file === null ? null : slowReader(file, late)
      }),
    list: (folder) => late(() => disk.list(folder)),
    makeFolder: (folder) => late(() => disk.makeFolder(folder)),
    rename: (from, to) => late(() => disk.rename(from, to)),
    remove: (path) => late(() => disk.remove(path)),
    syncFolder: (folder) => late(() => disk.syncFolder(folder)),
    lock: (path) => late(() => disk.lock(path)),
  }
}

type Late = <T>(act: () => Promise<T>) => Promise<T>

function slowReader(file: DiskReader, late: Late): DiskReader {
  return {
    size: () => late(() => file.size()),
    read: (position, length) => late(() => file.read(position, length)),
    close: () => late(() => file.close()),
  }
}

function slowFile(file: DiskFile, late: Late): DiskFile {
  return {
    ...slowReader(file, late),
    write: (position, bytes) => late(() => file.write(position, bytes)),
    writeThrough: (position, bytes) => late(() => file.writeThrough(position, bytes)),
    truncate: (size) => late(() => file.truncate(size)),
    sync: () => late(() => file.sync()),
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
