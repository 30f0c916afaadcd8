import { createHash, type Hash } from 'node:crypto'
import type { DiskFile } from '../../../world/disk.ts'
import { deflateMember, type Extent } from './member.ts'
import { type Dress, encodeTrailer } from './trailer.ts'

/**
 * How much is written before it is synced. A large file synced all at once keeps everybody else's small syncs
 * waiting; a little at a time does not.
 */
const SYNC_EVERY_BYTES = 4 * 1024 * 1024

/** How much is gathered before it is written. */
const BUFFER_BYTES = 256 * 1024

/** How much is copied at once from one file to another. */
const COPY_BYTES = 1024 * 1024

/** Where members are copied from. */
export interface MemberSource {
  raw(extent: Extent): Promise<Uint8Array>
}

/** Writes a file of gzip members, one after the other, and ends it with the trailer. */
export class BlockFileWriter {
  readonly #file: DiskFile
  readonly #dress: Dress
  readonly #hash: Hash = createHash('sha256')
  #parts: Uint8Array[] = []
  #gathered = 0
  #written = 0
  #unsynced = 0

  constructor(file: DiskFile, dress: Dress) {
    this.#file = file
    this.#dress = dress
  }

  /** The size so far. */
  get size(): number {
    return this.#written + this.#gathered
  }

  /** Writes a text as a member of its own. */
  text(text: string | Uint8Array): Promise<Extent> {
    return this.copy(deflateMember(text))
  }

  /** Writes a member that is compressed already. */
  async copy(member: Uint8Array): Promise<Extent> {
    const extent = { at: this.size, bytes: member.length }
    this.#parts.push(member)
    this.#gathered += member.length
    if (this.#gathered >= BUFFER_BYTES) await this.#flush()
    return extent
  }

  /** Copies bytes of another file, a little at a time. */
  async copyRange(from: MemberSource, { at, bytes }: Extent): Promise<Extent> {
    const start = this.size
    for (let done = 0; done < bytes; done += COPY_BYTES) {
      await this.copy(await from.raw({ at: at + done, bytes: Math.min(COPY_BYTES, bytes - done) }))
    }
    return { at: start, bytes }
  }

  /** Writes the trailer and makes everything durable. */
  async finish(index: Extent): Promise<{ readonly sha256: string; readonly bytes: number }> {
    await this.#flush()
    const sha256 = this.#hash.digest('hex')
    const trailer = encodeTrailer({ index, sha256 }, this.#dress)
    const bytes = this.#written + trailer.length
    await this.#file.write(this.#written, trailer)
    // An attempt that a crash ended may have left a longer file of the same name.
    await this.#file.truncate(bytes)
    await this.#file.sync()
    return { sha256, bytes }
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#parts)
    this.#hash.update(bytes)
    await this.#file.write(this.#written, bytes)
    this.#written += bytes.length
    this.#unsynced += bytes.length
    this.#parts = []
    this.#gathered = 0
    if (this.#unsynced < SYNC_EVERY_BYTES) return
    await this.#file.sync()
    this.#unsynced = 0
  }
}
