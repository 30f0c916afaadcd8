import type { Disk, DiskFile } from '../../src/world/disk.ts'

/** As much as the journal fills ahead with newlines at least. */
const FILL_BYTES = 128 * 1024

/** More than any test writes between two fills. */
const SHORT_BYTES = 16 * 1024

const NEWLINE = 10

/**
 * The same disk, on which a file that is filled with newlines ahead of what is written gets fewer of them. Thousands of
 * crashes would otherwise spend nearly all their time copying and reading blank lines.
 */
export function withShortFills(disk: Disk): Disk {
  return {
    open: async (path) => shortFills(await disk.open(path)),
    openToRead: (path) => disk.openToRead(path),
    list: (folder) => disk.list(folder),
    makeFolder: (folder) => disk.makeFolder(folder),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (folder) => disk.syncFolder(folder),
    lock: (path) => disk.lock(path),
  }
}

function shortFills(file: DiskFile): DiskFile {
  return {
    write: (position, bytes) => file.write(position, isFill(bytes) ? bytes.subarray(0, SHORT_BYTES) : bytes),
    writeThrough: (position, bytes) => file.writeThrough(position, bytes),
    truncate: (size) => file.truncate(size),
    sync: () => file.sync(),
    size: () => file.size(),
    read: (position, length) => file.read(position, length),
    close: () => file.close(),
  }
}

function isFill(bytes: Uint8Array): boolean {
  return bytes.length >= FILL_BYTES && bytes[0] === NEWLINE && bytes.at(-1) === NEWLINE
}
