import { constants, write } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import type { Disk, DiskFile, DiskReader } from './disk.ts'
import { lockFile } from './file-lock.ts'

const READ_WRITE_CREATE = constants.O_RDWR | constants.O_CREAT

/**
 * Where a write can be durable when it returns, which saves the second trip to the disk. Not on a Mac, where only
 * `datasync` empties the drive's own cache.
 */
const WRITE_THROUGH = process.platform === 'linux' ? constants.O_RDWR | constants.O_DSYNC : null

export const nodeDisk: Disk = nodeDiskWith({ writeThroughFlags: WRITE_THROUGH })

/** For tests: `writeThroughFlags` is null on platforms where a write cannot be made durable by itself. */
export function nodeDiskWith({ writeThroughFlags }: { writeThroughFlags: number | null }): Disk {
  return {
    async open(path) {
      const handle = await open(path, READ_WRITE_CREATE, 0o644)
      if (writeThroughFlags === null) return new NodeFile(handle, null)
      // Now and not when first needed: by then the file may have another name.
      return new NodeFile(handle, await openOrClose(handle, () => open(path, writeThroughFlags)))
    },
    async openToRead(path) {
      return await orWhenMissing(async () => new NodeReader(await open(path, constants.O_RDONLY)), null)
    },
    async list(folder) {
      return await orWhenMissing(async () => (await readdir(folder)).sort(), [])
    },
    async makeFolder(folder) {
      await mkdir(folder, { recursive: true })
    },
    rename,
    remove: (path) => rm(path, { force: true }),
    async syncFolder(folder) {
      await using handle = await open(folder, constants.O_RDONLY)
      await handle.sync()
    },
    lock: lockFile,
  }
}

class NodeReader implements DiskReader {
  protected readonly handle: FileHandle

  constructor(handle: FileHandle) {
    this.handle = handle
  }

  async size(): Promise<number> {
    return (await this.handle.stat()).size
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.handle.read(bytes, filled, length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  close(): Promise<void> {
    return this.handle.close()
  }
}

class NodeFile extends NodeReader implements DiskFile {
  readonly #through: FileHandle | null

  constructor(handle: FileHandle, through: FileHandle | null) {
    super(handle)
    this.#through = through
  }

  write(position: number, bytes: Uint8Array): Promise<void> {
    return writeAll(this.handle, position, bytes)
  }

  async writeThrough(position: number, bytes: Uint8Array): Promise<void> {
    if (this.#through !== null) return await writeAll(this.#through, position, bytes)
    await this.write(position, bytes)
    await this.sync()
  }

  truncate(size: number): Promise<void> {
    return this.handle.truncate(size)
  }

  sync(): Promise<void> {
    return this.handle.datasync()
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#through?.close()])
  }
}

/** The system may write less than it was asked to. */
async function writeAll(handle: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) written += await writeSome(handle.fd, position + written, bytes, written)
}

/** With a callback: every commit waits for this, and the handle's own promise takes longer. */
function writeSome(fd: number, position: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, position, (error, written) =>
      error === null ? resolve(written) : reject(error),
    )
  })
}

async function openOrClose(handle: FileHandle, openAgain: () => Promise<FileHandle>): Promise<FileHandle> {
  try {
    return await openAgain()
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function orWhenMissing<Found, Otherwise>(
  find: () => Promise<Found>,
  otherwise: Otherwise,
): Promise<Found | Otherwise> {
  try {
    return await find()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  }
}
