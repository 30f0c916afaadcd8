import { crc32 } from 'node:zlib'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { countWhile } from '../../count-while.ts'
import {
  compareEntries,
  type ReadyGroup,
  type SlotGroup,
  type SortedList,
  type StoredWork,
  type WorkEntries,
  type WorkListName,
} from '../../live/stored-work.ts'
import { RecentlyUsed } from '../../recently-used.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import { type Extent, inflateMember } from '../blocks/member.ts'

/** A block of a list, as the index describes it. Where it is counts from the start of the section. */
export type WorkBlock<E> = readonly [at: number, bytes: number, entries: number, first: E]

/** The part of a snapshot that says what there is to do, as the index describes it. */
export interface WorkSection extends Extent {
  /** CRC-32 of its bytes as they are in the file. */
  readonly crc: number
  readonly lists: { readonly [L in WorkListName]: readonly WorkBlock<WorkEntries[L]>[] }
  readonly groups: readonly ReadyGroup[]
  readonly limits: readonly SlotGroup[]
}

/**
 * Reads all of it, as it is: a few bytes for each open job. Only what is asked for is inflated, at once, so its checksum
 * is compared before anybody relies on it.
 */
export async function readWork(file: BlockFileReader, section: WorkSection): Promise<StoredWork> {
  const bytes = await file.raw(section)
  if (crc32(bytes) !== section.crc) {
    throw new LedgerDamaged({ file: file.path, byte: section.at }, 'the list of open work is damaged')
  }
  const list = <E extends readonly unknown[]>(blocks: readonly WorkBlock<E>[]) =>
    new BlockList<E>({ file: file.path, at: section.at, bytes }, blocks)
  const { due, ready, waiting, rows, slots } = section.lists
  const { groups, limits } = section
  return {
    due: list(due),
    ready: list(ready),
    groups,
    waiting: list(waiting),
    rows: list(rows),
    slots: list(slots),
    limits,
  }
}

/** The bytes of the section, and where they are. */
interface SectionBytes {
  readonly file: string
  readonly at: number
  readonly bytes: Uint8Array
}

/** As many blocks are kept inflated, of each list. */
const BLOCKS_KEPT = 64

class BlockList<E extends readonly unknown[]> implements SortedList<E> {
  readonly length: number
  readonly #section: SectionBytes
  readonly #blocks: readonly WorkBlock<E>[]
  /** How many entries there are before each block. */
  readonly #before: readonly number[]
  readonly #inflated = new RecentlyUsed<number, readonly E[]>(BLOCKS_KEPT)

  constructor(section: SectionBytes, blocks: readonly WorkBlock<E>[]) {
    this.#section = section
    this.#blocks = blocks
    let sum = 0
    this.#before = blocks.map(([, , entries]) => {
      sum += entries
      return sum - entries
    })
    this.length = sum
  }

  at(index: number): E {
    const block = countWhile(this.#before, (before) => before <= index) - 1
    return this.#entries(block)[index - (this.#before[block] as number)] as E
  }

  countWhile(isBefore: (entry: E) => boolean): number {
    const block = countWhile(this.#blocks, ([, , , first]) => isBefore(first)) - 1
    return block === -1 ? 0 : (this.#before[block] as number) + countWhile(this.#entries(block), isBefore)
  }

  #entries(index: number): readonly E[] {
    let entries = this.#inflated.get(index)
    if (entries === undefined) {
      entries = this.#parsed(this.#blocks[index] as WorkBlock<E>)
      this.#inflated.set(index, entries)
    }
    return entries
  }

  /** The checksum was good, so whatever is wrong now was written like that. */
  #parsed([at, bytes, count, first]: WorkBlock<E>): readonly E[] {
    const { file, at: start, bytes: section } = this.#section
    const place = { file, byte: start + at }
    const text = inflateMember(section.subarray(at, at + bytes), file, place.byte).toString('utf8')
    let entries: readonly E[]
    try {
      entries = JSON.parse(`[${text}]`)
    } catch (error) {
      throw LedgerDamaged.by(error, place, 'the block there makes no sense')
    }
    if (entries.length === count && compareEntries(entries[0] as E, first) === 0) return entries
    throw new LedgerDamaged(place, 'the index describes the block there otherwise')
  }
}
