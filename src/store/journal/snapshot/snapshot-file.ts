import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import type { Extent } from '../blocks/member.ts'
import { LoadingCache } from './loading-cache.ts'
import { type BlockEntry, decodePage, type PageEntry } from './page.ts'
import type { RunFormat } from './run-format.ts'

/** A page takes about 300 KB: this is up to 75 MB, and enough for random access to 16 million records. */
const PAGES_KEPT = 256

/** About 64 blocks of the usual size; those that a single huge record fills are not kept. */
const BLOCK_BYTES_KEPT = 64 * 64 * 1024

/** Pages and blocks of a snapshot, those used last from memory. */
export class SnapshotFile {
  readonly reader: BlockFileReader
  readonly #pages = new LoadingCache<readonly BlockEntry[]>(PAGES_KEPT, () => 1)
  readonly #blocks = new LoadingCache<Buffer>(BLOCK_BYTES_KEPT, (block) => block.length + 1)
  #blocksRead = 0

  constructor(reader: BlockFileReader) {
    this.reader = reader
  }

  /** How many blocks were read and inflated. Pages do not count. */
  get blocksRead(): number {
    return this.#blocksRead
  }

  /** Only if it is in memory. */
  pageHere(page: PageEntry): readonly BlockEntry[] | undefined {
    return this.#pages.here(page.at)
  }

  page(page: PageEntry, format: RunFormat): readonly BlockEntry[] | Promise<readonly BlockEntry[]> {
    return this.#pages.get(page.at, async () => {
      const text = (await this.reader.member(page)).toString('utf8')
      return this.understood(page, () => decodePage(text, format, page.from))
    })
  }

  block(block: BlockEntry): Buffer | Promise<Buffer> {
    return this.#blocks.get(block.at, () => this.#read(block))
  }

  /** For those who pass by many blocks and come back to none: what others use stays in memory. */
  passingBlock(block: BlockEntry): Buffer | Promise<Buffer> {
    return this.#blocks.here(block.at) ?? this.#read(block)
  }

  /** Good checksums and nonsense inside: whoever wrote that was mistaken, and whoever reads it must not be. */
  understood<A>({ at }: Extent, parse: () => A): A {
    try {
      return parse()
    } catch (error) {
      throw LedgerDamaged.by(error, { file: this.reader.path, byte: at }, 'the block there makes no sense')
    }
  }

  async close(): Promise<void> {
    this.#pages.clear()
    this.#blocks.clear()
    await this.reader.close()
  }

  #read(block: BlockEntry): Promise<Buffer> {
    this.#blocksRead++
    return this.reader.member(block)
  }
}
