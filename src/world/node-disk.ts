import { constants, write, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import type { Disk, DiskFile, DiskReader } from './disk.ts'
import { lockFile } from './file-lock.ts'
import { Quickness } from './quickness.ts'

const READ_WRITE_CREATE = constants.O_RDWR | constants.O_CREAT

/** One that is there, or a link in its place, was put there by somebody else. */
const READ_WRITE_NEW = READ_WRITE_CREATE | constants.O_EXCL

/**
 * Where a write can be durable when it returns, which saves the second trip to the disk. Not on a Mac, where only
 * `datasync` empties the drive's own cache.
 */
const WRITE_THROUGH = process.platform === 'linux' ? constants.O_RDWR | constants.O_DSYNC : null

/** A disk that takes less than this on average is waited for: having another thread do it would take longer. */
const QUICK_MS = 0.5

/** Whoever writes alone, one after the other, lets everything else have a turn at least so often. */
const MOST_MS_WITHOUT_TURN = 1

/** As much as a few commits. */
const LITTLE_BYTES = 4096

interface NodeDiskOptions {
  /** Null on platforms where a write cannot be made durable by itself. */
  readonly writeThroughFlags: number | null
  readonly quickMs?: number
}

export const nodeDisk: Disk = nodeDiskWith({ writeThroughFlags: WRITE_THROUGH })

/** With other options for tests. */
export function nodeDiskWith({ writeThroughFlags, quickMs = QUICK_MS }: NodeDiskOptions): Disk {
  return {
    async open(path, { isPrivate = false } = {}) {
      const handle = await open(
        path,
        isPrivate ? READ_WRITE_NEW : READ_WRITE_CREATE,
        isPrivate ? 0o600 : 0o644,
      )
      if (writeThroughFlags === null) return new NodeFile(handle, null)
      // Now and not when first needed: by then the file may have another name.
      const through = await openOrClose(handle, () => open(path, writeThroughFlags))
      return new NodeFile(handle, new ThroughWriter(through, quickMs))
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
  readonly #through: ThroughWriter | null

  constructor(handle: FileHandle, through: ThroughWriter | null) {
    super(handle)
    this.#through = through
  }

  write(position: number, bytes: Uint8Array): Promise<void> {
    return writeAll(this.handle, position, bytes)
  }

  async writeThrough(position: number, bytes: Uint8Array, isLone = false): Promise<void> {
    if (this.#through !== null) return await this.#through.write(position, bytes, isLone)
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

/**
 * Writes what is durable when it is written. Another thread does it, unless there is little to write and the disk has
 * been quick: then the handing over would be a good part of the time that a lone caller waits, so the process waits for
 * the disk itself. It goes by what the last writes took, so that a slow disk, or a quick one that has become slow, holds
 * up nobody but those who wait for it.
 */
class ThroughWriter {
  readonly #handle: FileHandle
  /** Of a little. */
  readonly #quickness: Quickness
  /** When everything else had its turn. */
  #turnAt = Number.NEGATIVE_INFINITY

  constructor(handle: FileHandle, quickMs: number) {
    this.#handle = handle
    this.#quickness = new Quickness(quickMs)
  }

  async write(position: number, bytes: Uint8Array, isLone: boolean): Promise<void> {
    if (bytes.length > LITTLE_BYTES) return await writeAll(this.#handle, position, bytes)
    const { isQuick } = this.#quickness
    let start = performance.now()
    if (isQuick && !(isLone && start - this.#turnAt < MOST_MS_WITHOUT_TURN)) {
      // Everything else has its turn first: who writes one after the other would keep the process from all of it.
      await new Promise(setImmediate)
      start = performance.now()
      this.#turnAt = start
    }
    if (isQuick) writeAllNow(this.#handle, position, bytes)
    else await writeAll(this.#handle, position, bytes)
    this.#quickness.took(performance.now() - start)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

/** The system may write less than it was asked to. */
async function writeAll(handle: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) written += await writeSome(handle.fd, position + written, bytes, written)
}

function writeAllNow(handle: FileHandle, position: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) {
    written += writeSync(handle.fd, bytes, written, bytes.length - written, position + written)
  }
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
