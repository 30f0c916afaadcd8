import type { Disk, DiskFile, DiskReader } from '../../world/disk.ts'

/** Somebody wants it to end. */
export class EndedByFlag extends Error {}

/**
 * A disk that does nothing more as soon as a number that two threads share is not 0, but for letting go and clearing away. A thread
 * must not be ended from outside while it compresses: Node then ends the whole process (`close before init`).
 */
export function endedByFlag(disk: Disk, flag: Int32Array): Disk {
  const go = () => {
    if (Atomics.load(flag, 0) !== 0) throw new EndedByFlag('it was told to end')
  }
  return {
    ...disk,
    open: async (path, options) => {
      go()
      return new EndedFile(await disk.open(path, options), go)
    },
    openToRead: async (path) => {
      go()
      const file = await disk.openToRead(path)
      return file === null ? null : new EndedReader(file, go)
    },
  }
}

class EndedReader<R extends DiskReader> implements DiskReader {
  protected readonly file: R
  protected readonly go: () => void

  constructor(file: R, go: () => void) {
    this.file = file
    this.go = go
  }

  size(): Promise<number> {
    return this.file.size()
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    this.go()
    return this.file.read(position, length)
  }

  close(): Promise<void> {
    return this.file.close()
  }
}

class EndedFile extends EndedReader<DiskFile> implements DiskFile {
  async write(position: number, bytes: Uint8Array): Promise<void> {
    this.go()
    await this.file.write(position, bytes)
  }

  async writeThrough(position: number, bytes: Uint8Array): Promise<void> {
    this.go()
    await this.file.writeThrough(position, bytes)
  }

  truncate(size: number): Promise<void> {
    return this.file.truncate(size)
  }

  sync(): Promise<void> {
    return this.file.sync()
  }
}
