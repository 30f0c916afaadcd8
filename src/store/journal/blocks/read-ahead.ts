import type { BlockFileReader } from './block-file-reader.ts'
import { type Extent, inflateMember } from './member.ts'

/** How much is read at once. */
const WINDOW_BYTES = 1024 * 1024

/** Reads members that follow one another: one trip to the disk for many of them. */
export class ReadAhead {
  readonly #file: BlockFileReader
  /** Nothing after it is asked for. */
  readonly #end: number
  #window = new Uint8Array()
  #at = 0

  constructor(file: BlockFileReader, end: number) {
    this.#file = file
    this.#end = end
  }

  async raw(extent: Extent): Promise<Uint8Array> {
    const end = extent.at + extent.bytes
    if (extent.at < this.#at || end > this.#at + this.#window.length) {
      const bytes = Math.max(extent.bytes, Math.min(WINDOW_BYTES, this.#end - extent.at))
      this.#window = (await this.#file.raw({ at: extent.at, bytes })) as Uint8Array<ArrayBuffer>
      this.#at = extent.at
    }
    return this.#window.subarray(extent.at - this.#at, end - this.#at)
  }

  async member(extent: Extent): Promise<Buffer> {
    return inflateMember(await this.raw(extent), this.#file.path, extent.at)
  }
}
