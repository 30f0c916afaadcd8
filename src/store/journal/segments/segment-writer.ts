import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { IdFilter } from '../blocks/id-filter.ts'
import { deflateMember, type Extent } from '../blocks/member.ts'
import type { ReadLine } from '../lines/line.ts'
import { type Header, HeaderBuilder, unionOf } from './header.ts'
import {
  type BlockHeader,
  encodeMember,
  type PageHeader,
  type SegmentIndex,
  type SegmentLink,
  VERSION,
} from './layout.ts'
import { SegmentDurations } from './segment-durations.ts'

/** How a segment is cut up. */
export interface SegmentShape {
  readonly linesPerBlock: number
  /** Of text. A line that is longer has a block of its own. */
  readonly bytesPerBlock: number
  readonly blocksPerPage: number
}

const NEWLINE = Buffer.from('\n')

const USUAL_SHAPE: SegmentShape = { linesPerBlock: 256, bytesPerBlock: 128 * 1024, blocksPerPage: 256 }

/** A page that waits, compressed, until all blocks are written: lines come first, and nothing between them. */
interface WaitingPage {
  readonly header: Header
  readonly ids: Uint8Array
  readonly blocks: Uint8Array
}

/** Writes the members of a segment. What it keeps in memory is a block of text, and a page of headers for every 256. */
export class SegmentWriter {
  readonly #out: BlockFileWriter
  readonly #path: string
  readonly #shape: SegmentShape
  readonly #durations = new SegmentDurations()
  readonly #pages: WaitingPage[] = []
  #blocks: BlockHeader[] = []
  #pageNames = new Set<string>()
  #header: HeaderBuilder
  /** The lines of the block that is being filled, each with its newline after it. */
  #texts: Uint8Array[] = []
  #bytes = 0

  constructor(out: BlockFileWriter, path: string, firstSeq: number, shape: SegmentShape = USUAL_SHAPE) {
    this.#out = out
    this.#path = path
    this.#shape = shape
    this.#header = new HeaderBuilder(firstSeq)
  }

  /** Resolves when there is room for more; null when there is, as it mostly is: there are millions of lines. */
  add(read: ReadLine): Promise<void> | null {
    const { bytes } = read
    if (this.#isFullFor(bytes)) return this.#endBlock().then(() => this.#put(read, bytes))
    this.#put(read, bytes)
    return null
  }

  #isFullFor({ length }: Uint8Array): boolean {
    const { lines } = this.#header
    const { linesPerBlock, bytesPerBlock } = this.#shape
    return lines > 0 && (lines === linesPerBlock || this.#bytes + length >= bytesPerBlock)
  }

  #put({ line, entries }: ReadLine, bytes: Uint8Array): void {
    if (line.seq !== this.#header.nextSeq) this.#complain(line.seq)
    this.#header.add(line, entries)
    for (const entry of entries) this.#durations.add(entry)
    this.#texts.push(bytes, NEWLINE)
    this.#bytes += bytes.length + 1
  }

  async finish(lastSeq: number, previous: SegmentLink | null) {
    if (this.#header.lines > 0) await this.#endBlock()
    if (this.#blocks.length > 0) this.#endPage()
    if (this.#header.nextSeq !== lastSeq + 1) this.#complain(lastSeq + 1)
    const durations = this.#durations.toFields()
    const pages = await this.#writePages()
    const index: SegmentIndex = {
      version: VERSION,
      ...unionOf(pages),
      // Whoever gives it may have more to say of it than belongs here.
      previous: previous === null ? null : { name: previous.name, sha256: previous.sha256 },
      durations: durations === null ? null : await this.#out.text(encodeMember('durations', durations)),
      pages,
    }
    const { sha256, bytes } = await this.#out.finish(await this.#out.text(encodeMember('index', index)))
    return { sha256, bytes, lines: index.lines, records: index.records }
  }

  async #endBlock(): Promise<void> {
    const extent = await this.#out.text(Buffer.concat(this.#texts, this.#bytes))
    this.#blocks.push(blockHeader(extent, this.#header))
    for (const name of this.#header.names) this.#pageNames.add(name)
    this.#header = new HeaderBuilder(this.#header.nextSeq)
    this.#texts = []
    this.#bytes = 0
    if (this.#blocks.length === this.#shape.blocksPerPage) this.#endPage()
  }

  #endPage(): void {
    this.#pages.push({
      header: unionOf(this.#blocks),
      ids: deflateMember(encodeMember('ids', filterOf(this.#pageNames))),
      blocks: deflateMember(encodeMember('page', this.#blocks)),
    })
    this.#blocks = []
    this.#pageNames = new Set()
  }

  async #writePages(): Promise<readonly PageHeader[]> {
    const pages: PageHeader[] = []
    for (const { header, ids, blocks } of this.#pages) {
      const filter = await this.#out.copy(ids)
      pages.push({ ...(await this.#out.copy(blocks)), ...header, ids: filter })
    }
    return pages
  }

  #complain(found: number): never {
    const what = `seq ${this.#header.nextSeq} should come here, and seq ${found} does`
    throw new LedgerDamaged({ file: this.#path, byte: this.#out.size }, what)
  }
}

export function blockHeader({ at, bytes }: Extent, header: HeaderBuilder): BlockHeader {
  return { at, bytes, ...header.build(), ids: filterOf(header.names) }
}

export function filterOf(names: ReadonlySet<string>): string {
  return IdFilter.of([...names]).toString()
}
