import { dirname } from 'node:path'
import type { Disk, DiskFile, DiskReader } from './disk.ts'

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
  #isClosed = false

  private constructor(disk: Disk, path: string, file: DiskFile) {
    this.#disk = disk
    this.path = path
    this.#file = file
  }

  static async create(disk: Disk, path: string): Promise<NewFile> {
    const file = await disk.open(unfinishedPath(path))
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

  /** Adds all of another file, piece by piece, and says after each how far it is. */
  async addFile(reader: DiskReader, onPiece: (doneBytes: number) => void = () => {}): Promise<void> {
    for (let at = 0; ; at += PIECE_BYTES) {
      const piece = await reader.read(at, PIECE_BYTES)
      this.addBytes(piece)
      await this.flush()
      onPiece(at + piece.length)
      if (piece.length < PIECE_BYTES) return
    }
  }

  /** What was added is durable; there is only no name to it. */
  async sync(): Promise<void> {
    await this.flush(1)
    await this.#file.sync()
  }

  async finish(): Promise<void> {
    await this.sync()
    const size = await this.#file.size()
    await this.#close()
    if (size !== this.#written) {
      throw new Error(`${this.path} should have ${this.#written} bytes, and has ${size}`)
    }
    await this.#disk.rename(unfinishedPath(this.path), this.path)
    await this.#disk.syncFolder(dirname(this.path))
  }

  /** It is not wanted after all. Does nothing to a file that has its name. */
  async discard(): Promise<void> {
    await this.#close()
    await this.#disk.remove(unfinishedPath(this.path))
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#file.close()
  }

  #makeRoom(bytes: number): void {
    const needed = this.#filled + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#filled)
    this.#buffer = larger
  }
}

/** What it is called until then. */
export function unfinishedPath(path: string): string {
  return `${path}.unfinished`
}
