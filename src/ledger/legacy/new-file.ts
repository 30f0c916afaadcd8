import { dirname } from 'node:path'
import type { Disk, DiskFile } from '../../world/disk.ts'

/** Written to the disk in pieces of this size. */
const PIECE_BYTES = 1024 * 1024

/** Most bytes that a character of a string can take. */
const BYTES_PER_CHARACTER = 3

/** A file that gets its name when it is whole and safe: whoever is cut off before has changed nothing. */
export class NewFile {
  readonly path: string
  readonly #disk: Disk
  readonly #file: DiskFile
  #buffer = Buffer.allocUnsafeSlow(2 * PIECE_BYTES)
  #filled = 0
  #written = 0

  private constructor(disk: Disk, path: string, file: DiskFile) {
    this.#disk = disk
    this.path = path
    this.#file = file
  }

  static async create(disk: Disk, path: string): Promise<NewFile> {
    const file = await disk.open(unfinished(path))
    // What a run before this one left.
    await file.truncate(0)
    return new NewFile(disk, path, file)
  }

  get bytes(): number {
    return this.#written + this.#filled
  }

  addText(text: string): void {
    this.#makeRoom(text.length * BYTES_PER_CHARACTER)
    this.#filled += this.#buffer.write(text, this.#filled)
  }

  addBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length)
    this.#buffer.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  /** Call it now and then: what was added is in memory until then. */
  async flush(least = PIECE_BYTES): Promise<void> {
    if (this.#filled < least || this.#filled === 0) return
    await this.#file.write(this.#written, this.#buffer.subarray(0, this.#filled))
    this.#written += this.#filled
    this.#filled = 0
  }

  async finish(): Promise<void> {
    await this.flush(1)
    await this.#file.sync()
    const size = await this.#file.size()
    await this.#file.close()
    if (size !== this.#written) {
      throw new Error(`${this.path} should have ${this.#written} bytes, and has ${size}`)
    }
    await this.#disk.rename(unfinished(this.path), this.path)
    await this.#disk.syncFolder(dirname(this.path))
  }

  /** It is not wanted after all. */
  async discard(): Promise<void> {
    await this.#file.close()
    await this.#disk.remove(unfinished(this.path))
  }

  #makeRoom(bytes: number): void {
    const needed = this.#filled + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#filled)
    this.#buffer = larger
  }
}

function unfinished(path: string): string {
  return `${path}.unfinished`
}

/** Whether two files are there and hold the same. */
export async function isSame(disk: Disk, a: string, b: string): Promise<boolean> {
  const readers = [await disk.openToRead(a), await disk.openToRead(b)] as const
  try {
    const [one, other] = readers
    if (one === null || other === null || (await one.size()) !== (await other.size())) return false
    for (let at = 0; ; at += PIECE_BYTES) {
      const [piece, same] = await Promise.all([one.read(at, PIECE_BYTES), other.read(at, PIECE_BYTES)])
      if (Buffer.compare(piece, same) !== 0) return false
      if (piece.length < PIECE_BYTES) return true
    }
  } finally {
    for (const reader of readers) await reader?.close()
  }
}

export async function isThere(disk: Disk, path: string): Promise<boolean> {
  const reader = await disk.openToRead(path)
  await reader?.close()
  return reader !== null
}

/** Copies a file that is there under a new name, and reads the copy again to see that it is the same. */
export async function copyFile(disk: Disk, from: string, to: string): Promise<void> {
  const reader = await disk.openToRead(from)
  if (reader === null) throw new Error(`${from} is gone`)
  const copy = await NewFile.create(disk, to)
  try {
    for (let at = 0; ; at += PIECE_BYTES) {
      const piece = await reader.read(at, PIECE_BYTES)
      copy.addBytes(piece)
      await copy.flush()
      if (piece.length < PIECE_BYTES) break
    }
    await copy.flush(1)
    if (!(await isSame(disk, from, unfinished(to)))) throw new Error(`${to} is not the same as ${from}`)
    await copy.finish()
  } catch (error) {
    await copy.discard().catch(() => {})
    throw error
  } finally {
    await reader.close()
  }
}
