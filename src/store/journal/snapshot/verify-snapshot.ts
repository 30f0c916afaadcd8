import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { Finding } from '../../store.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import { ReadAhead } from '../blocks/read-ahead.ts'
import { type BlockEntry, decodePage, type PageEntry, type Stretch } from './page.ts'
import type { OnProgress } from './progress.ts'
import { BETWEEN_LINES, linesOf } from './record-line.ts'
import { RUN_FORMATS, type RunFormat, type RunName } from './run-format.ts'
import { SEPARATOR } from './run-writer.ts'
import type { SnapshotIndex } from './snapshot-index.ts'
import { TableCheck } from './table-check.ts'
import { isRecordTable, TABLES } from './tables.ts'
import { WorkCheck } from './work-check.ts'
import { readWork, type WorkSection } from './work-section.ts'

const NEWLINE = 10

/** More findings than this say nothing new. */
const MOST_FINDINGS = 100

export interface Verification {
  /** Whether to look into the records, too. */
  readonly records: boolean
  readonly onProgress?: OnProgress | undefined
}

/** Reads all of a snapshot, a little at a time, and compares what is there with what the index and the pages say. */
export async function verifySnapshot(
  file: BlockFileReader,
  { head, sections, work }: SnapshotIndex,
  verification: Verification,
): Promise<readonly Finding[]> {
  const verifier = new Verifier(file, verification)
  await verifier.attempt(0, () => file.verify((bytes) => verifier.advance(bytes)))
  let documents = 0
  const workCheck = new WorkCheck()
  for (const table of TABLES) {
    const check = new TableCheck(table, workCheck)
    const records = await verifier.run('records', sections[table].records, check)
    const listed = await verifier.run('by_changed', sections[table].by_changed, check)
    if (table === 'states') documents = records
    if (!isRecordTable(table)) continue
    verifier.expect(listed === records, `${table}: ${records} records, ${listed} are listed by time`)
    verifier.expect(check.isListComplete, `${table}: the list by time is not of these records`)
  }
  await verifier.work(work, workCheck)
  verifier.expect(
    documents === head.document_count,
    `${documents} documents, where the index says ${head.document_count}`,
  )
  verifier.end()
  return verifier.findings
}

class Verifier {
  readonly findings: Finding[] = []
  readonly #file: BlockFileReader
  readonly #records: boolean
  readonly #onProgress: OnProgress
  readonly #total: number
  #done = 0

  constructor(file: BlockFileReader, { records, onProgress }: Verification) {
    this.#file = file
    this.#records = records
    this.#onProgress = onProgress ?? (() => {})
    // Every byte is read for the checksum, and once more for what it means.
    this.#total = 2 * file.size
  }

  /** How many records the blocks have. */
  async run(name: RunName, pages: readonly PageEntry[], check: TableCheck): Promise<number> {
    const format = RUN_FORMATS[name]
    const ahead = new ReadAhead(this.#file, pages.at(-1)?.to ?? 0)
    let records = 0
    let before: Place | null = null
    for (const page of pages) {
      this.expect(isAfter(page, before), 'the page is out of order', page.at)
      await this.attempt(page.at, async () => {
        const text = (await this.#file.member(page)).toString('utf8')
        const blocks = decodePage(text, format, page.from)
        this.#page(page, blocks)
        for (const block of blocks) {
          this.expect(isAfter(block, before), 'the block is out of order', block.at)
          before = block.last
          await this.attempt(block.at, async () => {
            records += this.#block(format, block, await ahead.member(block), check)
          })
        }
      })
      before = page.last
      this.advance(page.to - page.from)
    }
    return records
  }

  async work(section: WorkSection, check: WorkCheck): Promise<void> {
    await this.attempt(section.at, async () => {
      const stored = await readWork(this.#file, section)
      for (const what of check.problems(stored, this.#records)) this.expect(false, what, section.at)
    })
    this.advance(section.bytes)
  }

  expect(isSo: boolean, otherwise: string, byte?: number): void {
    if (isSo || this.findings.length >= MOST_FINDINGS) return
    const where = byte === undefined ? this.#file.path : `${this.#file.path}, byte ${byte}`
    this.findings.push({ where, what: otherwise })
  }

  /** Goes on after damage: one bad block is no reason to say nothing of the others. */
  async attempt(byte: number, action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (error instanceof LedgerDamaged) {
        const { file, byte: at } = error.place
        this.expect(false, error.message.replace(`${file}, byte ${at}: `, ''), at)
      } else if (error instanceof SyntaxError || error instanceof TypeError) {
        this.expect(false, `makes no sense: ${error.message}`, byte)
      } else throw error
    }
  }

  advance(bytes: number): void {
    this.#done = Math.min(this.#total, this.#done + bytes)
    this.#onProgress({ done: this.#done, total: this.#total })
  }

  end(): void {
    this.advance(this.#total)
  }

  #page(page: PageEntry, blocks: readonly BlockEntry[]): void {
    const records = blocks.reduce((sum, block) => sum + block.records, 0)
    this.expect(
      records === page.records && blocks.length === page.blocks,
      'the page counts otherwise',
      page.at,
    )
    let at = page.from
    for (const block of blocks) {
      this.expect(block.at === at, 'the block is not where the one before it ends', block.at)
      at = block.at + block.bytes + SEPARATOR.length
    }
    this.expect(at === page.to + SEPARATOR.length, 'the page ends elsewhere', page.at)
    this.expect(isSame(page.first, blocks[0]?.first), 'the page starts with another record', page.at)
    this.expect(isSame(page.last, blocks.at(-1)?.last), 'the page ends with another record', page.at)
  }

  #block(format: RunFormat, block: BlockEntry, bytes: Buffer, check: TableCheck): number {
    const [first, last] = outerLines(bytes)
    const records = countLines(bytes)
    this.expect(records === block.records, `${records} records, not ${block.records}`, block.at)
    this.expect(isSame(block.first, format.placeOfLine(first)), 'starts with another record', block.at)
    this.expect(isSame(block.last, format.placeOfLine(last)), 'ends with another record', block.at)
    if (this.#records) {
      for (const what of check.problems(format, block, linesOf(bytes.toString('utf8')))) {
        this.expect(false, what, block.at)
      }
    }
    return records
  }
}

function isAfter({ first, last }: Stretch, before: Place | null): boolean {
  return comparePlaces(first, last) <= 0 && (before === null || comparePlaces(before, first) < 0)
}

function isSame(a: Place, b: Place | undefined): boolean {
  return b !== undefined && comparePlaces(a, b) === 0
}

/** The first and the last line. */
function outerLines(block: Buffer): [first: string, last: string] {
  const end = block.indexOf(BETWEEN_LINES)
  const start = block.lastIndexOf(BETWEEN_LINES)
  return [
    block.toString('utf8', 0, end === -1 ? block.length : end),
    block.toString('utf8', start === -1 ? 0 : start + BETWEEN_LINES.length),
  ]
}

function countLines(block: Buffer): number {
  let count = 1
  for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) count++
  return count
}
