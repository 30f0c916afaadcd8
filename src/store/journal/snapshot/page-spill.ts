import type { DiskFile } from '../../../world/disk.ts'
import type { MemberSource } from '../blocks/block-file-writer.ts'
import { deflateMember, type Extent } from '../blocks/member.ts'

/**
 * Pages stand after all the blocks, and there may be more of them than fit into memory: until their turn comes they
 * wait in a file of their own.
 */
export class PageSpill implements MemberSource {
  readonly #file: DiskFile
  readonly #separator: Uint8Array
  #size = 0

  constructor(file: DiskFile, separator: Uint8Array) {
    this.#file = file
    this.#separator = separator
  }

  get size(): number {
    return this.#size
  }

  text(text: string): Promise<Extent> {
    return this.copy(deflateMember(text))
  }

  /** Where the page is counts from the first one. */
  async copy(page: Uint8Array): Promise<Extent> {
    const bytes = this.#size === 0 ? page : Buffer.concat([this.#separator, page])
    await this.#file.write(this.#size, bytes)
    this.#size += bytes.length
    return { at: this.#size - page.length, bytes: page.length }
  }

  raw({ at, bytes }: Extent): Promise<Uint8Array> {
    return this.#file.read(at, bytes)
  }
}
