/**
 * What an engine asks of a disk, and no more, so that a test can stand in for it and lose power at any point.
 * Nothing is durable before `sync` of the file, and a new or renamed name not before `syncFolder` of its folder.
 */
export interface Disk {
  /** Opens for reading and writing, and makes the file when there is none. */
  open(path: string, options?: DiskOpenOptions): Promise<DiskFile>
  /** Opens for reading only; null when there is no such file. */
  openToRead(path: string): Promise<DiskReader | null>
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  makeFolder(folder: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>
  syncFolder(folder: string): Promise<void>
  /** Locks a file, which it makes, until released or until the process ends, however it ends; null when it is taken. */
  lock(path: string): Promise<DiskLock | null>
}

export interface DiskOpenOptions {
  /** A new file, which only its owner may read; it fails when there is one of this name. */
  readonly isPrivate?: boolean | undefined
}

export interface DiskReader {
  size(): Promise<number>
  /** Up to `length` bytes; fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>
  close(): Promise<void>
}

export interface DiskFile extends DiskReader {
  write(position: number, bytes: Uint8Array): Promise<void>
  /**
   * Writes, and resolves when these bytes are durable, with everything needed to read them back. `isLone`: nobody came while the last
   * ones were written, so nobody is likely to be kept waiting if the process itself waits for the disk.
   */
  writeThrough(position: number, bytes: Uint8Array, isLone?: boolean): Promise<void>
  truncate(size: number): Promise<void>
  /** Data and size are durable when this resolves. */
  sync(): Promise<void>
}

export interface DiskLock {
  release(): Promise<void>
}
