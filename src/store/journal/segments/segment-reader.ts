import type { RollupFields } from '../../../core/durations.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import { RecentlyUsed } from '../../recently-used.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { IdFilter } from '../blocks/id-filter.ts'
import type { Extent } from '../blocks/member.ts'
import type { Line } from '../lines/line.ts'
import { HistoryMoved } from './history.ts'
import {
  type BlockHeader,
  DRESS,
  decodeMember,
  type MemberName,
  type PageHeader,
  parseObject,
} from './layout.ts'

/** The header of a block, with its filter ready to be asked. */
export interface Block {
  readonly header: BlockHeader
  readonly filter: IdFilter
}

/** Members that were read last, of all segments that share it. */
export type MemberCache = RecentlyUsed<string, object>

/** About a hundred blocks, counted in bytes of their text. */
const CACHED_BYTES = 16 * 1024 * 1024

export function newMemberCache(): MemberCache {
  return new RecentlyUsed(CACHED_BYTES)
}

/** The members of one segment, as what they stand for. The file is opened when one is wanted that is not cached. */
export class SegmentReader {
  readonly #disk: Disk
  readonly #path: string
  readonly #sha256: string
  readonly #cache: MemberCache
  #file: BlockFileReader | null = null
  #blocksRead = 0

  constructor(disk: Disk, path: string, sha256: string, cache: MemberCache) {
    this.#disk = disk
    this.#path = path
    this.#sha256 = sha256
    this.#cache = cache
  }

  /** Those that were not in the cache. */
  get blocksRead(): number {
    return this.#blocksRead
  }

  /** For the names in all blocks of a page. */
  filter({ ids }: PageHeader): Promise<IdFilter> {
    return this.#cached(ids, (text) => IdFilter.parse(this.#decode('ids', text, ids)))
  }

  blocks(page: PageHeader): Promise<readonly Block[]> {
    return this.#cached(page, (text) =>
      this.#decode<readonly BlockHeader[]>('page', text, page).map((header) => ({
        header,
        filter: IdFilter.parse(header.ids),
      })),
    )
  }

  durations(extent: Extent): Promise<RollupFields> {
    return this.#cached(extent, (text) => this.#decode('durations', text, extent))
  }

  async lines({ header }: Block): Promise<readonly Line[]> {
    const texts = await this.#cached(header, (text) => {
      this.#blocksRead++
      return text.toString('utf8').split('\n').slice(0, -1)
    })
    // Parsed anew for every reader: what is handed out may be changed by whoever gets it.
    return texts.map((text) => {
      const line = parseObject(text)
      if (line !== null) return line as unknown as Line
      throw new LedgerDamaged({ file: this.#path, byte: header.at }, 'a line of the block there is not JSON')
    })
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }

  #decode<T>(name: MemberName, text: Buffer, { at }: Extent): T {
    return decodeMember<T>(name, text, this.#path, at)
  }

  async #cached<T extends object>(extent: Extent, parse: (text: Buffer) => T): Promise<T> {
    const key = `${this.#sha256} ${extent.at}`
    const found = this.#cache.get(key) as T | undefined
    if (found !== undefined) return found
    this.#file ??= await this.#open()
    const text = await this.#file.member(extent)
    const parsed = parse(text)
    this.#cache.set(key, parsed, text.length + 1)
    return parsed
  }

  async #open(): Promise<BlockFileReader> {
    const file = await openSegmentFile(this.#disk, this.#path)
    if (file.sha256 === this.#sha256) return file
    await file.close()
    throw new LedgerDamaged({ file: this.#path, byte: 0 }, 'the file was replaced by another one')
  }
}

export async function openSegmentFile(disk: Disk, path: string): Promise<BlockFileReader> {
  const file = await BlockFileReader.open(disk, path, DRESS)
  if (file === null) throw new HistoryMoved(path)
  return file
}
