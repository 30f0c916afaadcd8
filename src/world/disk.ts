/**
 * What an engine asks of a disk, and no more, so that a test can stand in for it and lose power at any point.
 * Nothing is durable before `sync` of the file, and a new or renamed name not before `syncFolder` of its folder.
 */
export interface Disk {
  /** Opens for reading and writing, and makes the file when there is none. */
  open(path: string): Promise<DiskFile>
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  makeFolder(folder: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>
  syncFolder(folder: string): Promise<void>
}

export interface DiskFile {
  size(): Promise<number>
  /** Up to `length` bytes; fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>
  write(position: number, bytes: Uint8Array): Promise<void>
  truncate(size: number): Promise<void>
  /** Data and size are durable when this resolves. */
  sync(): Promise<void>
  close(): Promise<void>
}
