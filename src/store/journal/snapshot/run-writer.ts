import type { LedgerRecord } from '../../../core/aggregate.ts'
import { detached, type Place } from '../../place.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import type { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { IdFilter } from '../blocks/id-filter.ts'
import { deflateMember } from '../blocks/member.ts'
import { type BlockHeader, HeaderBuilder } from './block-header.ts'
import { type BlockEntry, encodePage, type PageEntry, type Stretch } from './page.ts'
import type { PageSpill } from './page-spill.ts'
import { BETWEEN_LINES, keyTextOf } from './record-line.ts'
import type { RunFormat } from './run-format.ts'
import type { TableName } from './tables.ts'

/** What is smaller than this part of a block or page is not left standing before one that is copied. */
const SMALL = 1 / 4

/** Stands between any two blocks as a member of its own, so that blocks can be copied as they are. */
export const SEPARATOR: Uint8Array = deflateMember(BETWEEN_LINES)

export interface RunLine {
  readonly place: Place
  readonly line: string
  /** The record itself, for the header of its block; null where it has no header, or where `header` stands for it. */
  readonly record: LedgerRecord | null
  /** Of the block that the line came from. Its claims are taken over, which saves parsing the line. */
  readonly header: BlockHeader | null
}

/** Where the blocks of a table go: runs that follow one another there are separated like their blocks. */
export class Section {
  readonly file: BlockFileWriter
  readonly pages: PageSpill
  readonly onRecords: (records: number) => void
  #started = false

  constructor(file: BlockFileWriter, pages: PageSpill, onRecords: (records: number) => void) {
    this.file = file
    this.pages = pages
    this.onRecords = onRecords
  }

  async separate(): Promise<void> {
    if (this.#started) await this.file.copy(SEPARATOR)
    this.#started = true
  }
}

/**
 * Cuts lines into blocks and blocks into pages. Both wait until there are enough for two, so that what is left before
 * something that is copied can be shared out evenly: one line more than fits makes two halves, not a whole and a
 * crumb that the next compaction would have to sweep up.
 */
export class RunWriter {
  readonly #table: TableName
  readonly #format: RunFormat
  readonly #section: Section
  readonly #entries: PageEntry[] = []
  #lines: RunLine[] = []
  #chars = 0
  #blocks: BlockEntry[] = []

  constructor(table: TableName, format: RunFormat, section: Section) {
    this.#table = table
    this.#format = format
    this.#section = section
  }

  get format(): RunFormat {
    return this.#format
  }

  /** Whether lines wait that are too few for a block: better to take the next block apart than to copy it. */
  get hasCrumbs(): boolean {
    const { length } = this.#lines
    return (
      length > 0 &&
      length < this.#format.linesPerBlock * SMALL &&
      this.#chars < this.#format.charsPerBlock * SMALL
    )
  }

  /** Whether the next page can be copied whole without leaving a small one before it. */
  get mayCopyPage(): boolean {
    const blocks = this.#blocks.length + Math.min(1, this.#lines.length)
    return !this.hasCrumbs && (blocks === 0 || blocks >= this.#format.blocksPerPage * SMALL)
  }

  /** Never waits: nearly all lines are only added to those before. `isFull` says when to call `cut`. */
  add(line: RunLine): void {
    this.#lines.push(line)
    this.#chars += line.line.length
  }

  get isFull(): boolean {
    return (
      this.#lines.length >= 2 * this.#format.linesPerBlock || this.#chars >= 2 * this.#format.charsPerBlock
    )
  }

  async cut(): Promise<void> {
    while (this.isFull) await this.#writeBlock(this.#format.linesPerBlock)
  }

  async copyBlock(entry: BlockEntry, member: Uint8Array): Promise<void> {
    await this.#shareLines()
    await this.#section.separate()
    const { at } = await this.#section.file.copy(member)
    await this.#listBlock({ ...entry, at })
    this.#section.onRecords(entry.records)
  }

  async copyPage(entry: PageEntry, source: BlockFileReader): Promise<void> {
    await this.#shareLines()
    await this.#sharePages()
    await this.#section.separate()
    const blocks = { at: entry.from, bytes: entry.to - entry.from }
    const { at: from } = await this.#section.file.copyRange(source, blocks)
    const { at } = await this.#section.pages.copy(await source.raw(entry))
    this.#entries.push({ ...entry, at, from, to: from + blocks.bytes })
    this.#section.onRecords(entry.records)
  }

  /** Full blocks and full pages, and what is left over at the end: the next compaction goes on there. */
  async end(): Promise<readonly PageEntry[]> {
    while (this.#lines.length > 0) await this.#writeBlock(this.#format.linesPerBlock)
    while (this.#blocks.length > 0) await this.#writePage(this.#format.blocksPerPage)
    return this.#entries
  }

  async #shareLines(): Promise<void> {
    const { linesPerBlock } = this.#format
    const parts = Math.max(
      Math.ceil(this.#lines.length / linesPerBlock),
      Math.ceil(this.#chars / this.#format.charsPerBlock),
    )
    const share = Math.ceil(this.#lines.length / parts)
    while (this.#lines.length > 0) await this.#writeBlock(share)
  }

  async #sharePages(): Promise<void> {
    const share = Math.ceil(this.#blocks.length / Math.ceil(this.#blocks.length / this.#format.blocksPerPage))
    while (this.#blocks.length > 0) await this.#writePage(share)
  }

  async #writeBlock(atMost: number): Promise<void> {
    const lines = this.#takeLines(atMost)
    const member = deflateMember(lines.map(({ line }) => line).join(BETWEEN_LINES))
    await this.#section.separate()
    const { at, bytes } = await this.#section.file.copy(member)
    const filter = this.#format.filtered ? IdFilter.of(lines.map(({ line }) => keyTextOf(line))) : null
    await this.#listBlock({ at, bytes, ...stretchOfLines(lines), filter })
    this.#section.onRecords(lines.length)
  }

  #takeLines(atMost: number): RunLine[] {
    let count = 0
    let chars = 0
    for (const { line } of this.#lines) {
      if (count === atMost || (count > 0 && chars + line.length > this.#format.charsPerBlock)) break
      count++
      chars += line.length
    }
    this.#chars -= chars
    return this.#lines.splice(0, count)
  }

  async #listBlock(entry: BlockEntry): Promise<void> {
    this.#blocks.push(entry)
    if (this.#blocks.length >= 2 * this.#format.blocksPerPage)
      await this.#writePage(this.#format.blocksPerPage)
  }

  async #writePage(atMost: number): Promise<void> {
    const blocks = this.#blocks.splice(0, atMost)
    const { at, bytes } = await this.#section.pages.text(encodePage(this.#table, this.#format, blocks))
    const from = (blocks[0] as BlockEntry).at
    const last = blocks.at(-1) as BlockEntry
    const stretch = stretchOfBlocks(blocks)
    this.#entries.push({ at, bytes, from, to: last.at + last.bytes, blocks: blocks.length, ...stretch })
  }
}

function stretchOfLines(lines: readonly RunLine[]): Stretch {
  const builder = new HeaderBuilder()
  let included: BlockHeader | null = null
  for (const { record, header } of lines) {
    if (record !== null) builder.add(record)
    if (header === null || header === included) continue
    builder.include(header)
    included = header
  }
  return {
    first: detached((lines[0] as RunLine).place),
    last: detached((lines.at(-1) as RunLine).place),
    records: lines.length,
    header: builder.build(),
  }
}

function stretchOfBlocks(blocks: readonly BlockEntry[]): Stretch {
  const builder = new HeaderBuilder()
  let records = 0
  for (const block of blocks) {
    builder.include(block.header)
    records += block.records
  }
  return {
    first: (blocks[0] as BlockEntry).first,
    last: (blocks.at(-1) as BlockEntry).last,
    records,
    header: builder.build(),
  }
}
