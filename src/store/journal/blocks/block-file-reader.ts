import { createHash } from 'node:crypto'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk, DiskReader } from '../../../world/disk.ts'
import { type Extent, inflateMember } from './member.ts'
import { type Dress, decodeTrailer, type Trailer, trailerBytes } from './trailer.ts'

const READ_BYTES = 1024 * 1024

/** Reads a file of gzip members: one member at a time, found from the index at its end. */
export class BlockFileReader {
  readonly path: string
  readonly #file: DiskReader
  readonly #size: number
  readonly #trailerAt: number
  readonly #trailer: Trailer

  private constructor(path: string, file: DiskReader, size: number, trailerAt: number, trailer: Trailer) {
    this.path = path
    this.#file = file
    this.#size = size
    this.#trailerAt = trailerAt
    this.#trailer = trailer
  }

  /** Null when there is no such file. Reads the trailer, and nothing else. */
  static async open(disk: Disk, path: string, dress: Dress): Promise<BlockFileReader | null> {
    const file = await disk.openToRead(path)
    if (file === null) return null
    try {
      const size = await file.size()
      const at = size - trailerBytes(dress)
      if (at < 0) throw new LedgerDamaged({ file: path, byte: size }, 'the file is too short')
      const trailer = decodeTrailer(await file.read(at, size - at), dress, path, at)
      return new BlockFileReader(path, file, size, at, trailer)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Of everything before the trailer, as the trailer says. */
  get sha256(): string {
    return this.#trailer.sha256
  }

  get size(): number {
    return this.#size
  }

  /** Where the index is. */
  get indexAt(): number {
    return this.#trailer.index.at
  }

  /** The text of the index. */
  index(): Promise<Buffer> {
    return this.member(this.#trailer.index)
  }

  async member(extent: Extent): Promise<Buffer> {
    return inflateMember(await this.raw(extent), this.path, extent.at)
  }

  /** A member as it is, compressed. */
  async raw({ at, bytes }: Extent): Promise<Uint8Array> {
    const found = at + bytes <= this.#trailerAt ? await this.#file.read(at, bytes) : new Uint8Array()
    if (found.length === bytes) return found
    throw new LedgerDamaged({ file: this.path, byte: at }, 'a block is missing')
  }

  /** Compares everything before the trailer with its checksum. */
  async verify(onBytes?: (bytes: number) => void): Promise<void> {
    const hash = createHash('sha256')
    for (let at = 0; at < this.#trailerAt; at += READ_BYTES) {
      const bytes = await this.#file.read(at, Math.min(READ_BYTES, this.#trailerAt - at))
      hash.update(bytes)
      onBytes?.(bytes.length)
    }
    if (hash.digest('hex') === this.sha256) return
    throw new LedgerDamaged(
      { file: this.path, byte: 0 },
      'the content does not have the checksum in its trailer',
    )
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
