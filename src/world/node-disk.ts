import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncate,
  mkdirSync,
  type NoParamCallback,
  openSync,
  read,
  readdirSync,
  readSync,
  rename,
  unlink,
  write,
  writeSync,
} from 'node:fs'
import { Descriptor } from './descriptor.ts'
import type { Disk, DiskFile, DiskReader } from './disk.ts'
import { lockFile } from './file-lock.ts'
import { Quickness } from './quickness.ts'
import { Reading } from './reading.ts'

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

/** As much as a block of a snapshot. More than that is read by another thread. */
const LITTLE_TO_READ_BYTES = 64 * 1024

interface NodeDiskOptions {
  /** Null on platforms where a write cannot be made durable by itself. */
  readonly writeThroughFlags: number | null
  readonly quickMs?: number
}

export const nodeDisk: Disk = nodeDiskWith({ writeThroughFlags: WRITE_THROUGH })

/**
 * With other options for tests. What only looks up or makes a name is waited for: it takes a hundredth of the trip to another
 * thread and back, and there are dozens of them when a ledger is opened. What waits for the disk is left to another thread.
 */
export function nodeDiskWith({ writeThroughFlags, quickMs = QUICK_MS }: NodeDiskOptions): Disk {
  // Of all files: most of them are read a few times.
  const reading = new Reading(quickMs)
  return {
    async open(path, { isPrivate = false } = {}) {
      const fd = openSync(path, isPrivate ? READ_WRITE_NEW : READ_WRITE_CREATE, isPrivate ? 0o600 : 0o644)
      // Nothing is written to a private one again and again.
      if (writeThroughFlags === null || isPrivate) return new NodeFile(fd, reading, null)
      // Now and not when first needed: by then the file may have another name.
      const through = openOrClose(fd, () => openSync(path, writeThroughFlags))
      return new NodeFile(fd, reading, new ThroughWriter(through, quickMs))
    },
    async openToRead(path) {
      return orWhenMissing(() => new NodeReader(openSync(path, constants.O_RDONLY), reading), null)
    },
    async list(folder) {
      return orWhenMissing(() => readdirSync(folder).sort(), [])
    },
    async makeFolder(folder) {
      mkdirSync(folder, { recursive: true })
    },
    rename: (from, to) => done((callback) => rename(from, to, callback)),
    async remove(path) {
      await done((callback) => unlink(path, (error) => callback(error?.code === 'ENOENT' ? null : error)))
    },
    async syncFolder(folder) {
      const fd = openSync(folder, constants.O_RDONLY)
      try {
        await done((callback) => fsync(fd, callback))
      } finally {
        closeSync(fd)
      }
    },
    lock: lockFile,
  }
}

class NodeReader implements DiskReader {
  protected readonly file: Descriptor
  readonly #reading: Reading

  constructor(fd: number, reading: Reading) {
    this.file = new Descriptor(fd)
    this.#reading = reading
  }

  async size(): Promise<number> {
    return fstatSync(this.file.now).size
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    const isLittle = length <= LITTLE_TO_READ_BYTES
    const start = performance.now()
    const isWaitedFor = isLittle && this.#reading.isWaitedFor(start)
    let filled = 0
    while (filled < length) {
      const rest = [bytes, filled, length - filled, position + filled] as const
      const count = isWaitedFor
        ? readSync(this.file.now, ...rest)
        : await this.file.during<number>((fd, callback) => read(fd, ...rest, callback))
      if (count === 0) break
      filled += count
    }
    if (isLittle) this.#reading.took(performance.now() - start)
    return bytes.subarray(0, filled)
  }

  close(): Promise<void> {
    return this.file.close()
  }
}

class NodeFile extends NodeReader implements DiskFile {
  readonly #through: ThroughWriter | null

  constructor(fd: number, reading: Reading, through: ThroughWriter | null) {
    super(fd, reading)
    this.#through = through
  }

  write(position: number, bytes: Uint8Array): Promise<void> {
    return writeAll(this.file, position, bytes)
  }

  async writeThrough(position: number, bytes: Uint8Array, isLone = false): Promise<void> {
    if (this.#through !== null) return await this.#through.write(position, bytes, isLone)
    await this.write(position, bytes)
    await this.sync()
  }

  truncate(size: number): Promise<void> {
    return this.file.during((fd, callback: NoParamCallback) => ftruncate(fd, size, callback))
  }

  sync(): Promise<void> {
    return this.file.during((fd, callback: NoParamCallback) => fdatasync(fd, callback))
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
  readonly #file: Descriptor
  /** Of a little. */
  readonly #quickness: Quickness
  /** When everything else had its turn. */
  #turnAt = Number.NEGATIVE_INFINITY

  constructor(fd: number, quickMs: number) {
    this.#file = new Descriptor(fd)
    this.#quickness = new Quickness(quickMs)
  }

  async write(position: number, bytes: Uint8Array, isLone: boolean): Promise<void> {
    if (bytes.length > LITTLE_BYTES) return await writeAll(this.#file, position, bytes)
    const { isQuick } = this.#quickness
    let start = performance.now()
    if (isQuick && !(isLone && start - this.#turnAt < MOST_MS_WITHOUT_TURN)) {
      // Everything else has its turn first: who writes one after the other would keep the process from all of it.
      await new Promise(setImmediate)
      start = performance.now()
      this.#turnAt = start
    }
    if (isQuick) writeAllNow(this.#file, position, bytes)
    else await writeAll(this.#file, position, bytes)
    this.#quickness.took(performance.now() - start)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** The system may write less than it was asked to. */
async function writeAll(file: Descriptor, position: number, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const rest = [bytes, written, bytes.length - written, position + written] as const
    written += await file.during<number>((fd, callback) => write(fd, ...rest, callback))
  }
}

function writeAllNow(file: Descriptor, position: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) {
    written += writeSync(file.now, bytes, written, bytes.length - written, position + written)
  }
}

/** What Node does by a thread, as a promise: those that Node has take thirty modules more to load. */
function done(begin: (callback: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => begin((error) => (error === null ? resolve() : reject(error))))
}

function openOrClose(fd: number, openAgain: () => number): number {
  try {
    return openAgain()
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function orWhenMissing<Found, Otherwise>(find: () => Found, otherwise: Otherwise): Found | Otherwise {
  try {
    return find()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  }
}
