import { LedgerDamaged, type Place, UnknownFormat } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import type { Finding } from '../../store.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import { decodeTrailer, encodeTrailer, trailerBytes } from '../blocks/trailer.ts'
import { hasChecksum } from '../lines/checksum.ts'
import { entriesOf, type Line } from '../lines/line.ts'
import { HeaderBuilder, unionOf } from './header.ts'
import {
  type BlockHeader,
  DRESS,
  decodeMember,
  type PageHeader,
  parseObject,
  readIndex,
  type SegmentIndex,
} from './layout.ts'
import { SegmentDurations } from './segment-durations.ts'
import type { SegmentFile } from './segment-name.ts'
import { openSegmentFile } from './segment-reader.ts'
import { blockHeader, filterOf } from './segment-writer.ts'

/** Something that is wrong with a segment, and where. Lines are counted in the text that `zcat` shows. */
export interface SegmentFinding extends Finding, Place {}

/** Told how many bytes of a file were verified since it was last told. */
export type OnBytes = (bytes: number) => void

const NEWLINE = 0x0a

/** The byte of a gzip header that says which system wrote it. */
const SYSTEM_AT = 9

/** Reads every byte of a segment and compares everything that is said twice in it. */
export function verifySegment(
  disk: Disk,
  file: SegmentFile,
  onBytes: OnBytes = () => {},
): Promise<readonly SegmentFinding[]> {
  return verified(new Verification(file.path, onBytes), disk, file)
}

/**
 * Reads every byte, inflates every block and looks at the checksum of every line, but not into the lines: for a segment
 * that was just written.
 */
export function verifySegmentBytes(disk: Disk, file: SegmentFile): Promise<readonly SegmentFinding[]> {
  return verified(new Verification(file.path, () => {}, false), disk, file)
}

async function verified(
  verification: Verification,
  disk: Disk,
  file: SegmentFile,
): Promise<readonly SegmentFinding[]> {
  await verification.attempt(async () => {
    const reader = await openSegmentFile(disk, file.path)
    try {
      await verification.run(reader, disk, file)
    } finally {
      await reader.close()
    }
  })
  return verification.findings
}

class Verification {
  readonly findings: SegmentFinding[] = []
  readonly #path: string
  readonly #onBytes: OnBytes
  readonly #looksIntoLines: boolean
  readonly #durations = new SegmentDurations()
  #nextSeq = 0
  /** Where the next block has to begin. */
  #at = 0
  #lines = 0

  constructor(path: string, onBytes: OnBytes, looksIntoLines = true) {
    this.#path = path
    this.#onBytes = onBytes
    this.#looksIntoLines = looksIntoLines
  }

  async run(reader: BlockFileReader, disk: Disk, file: SegmentFile): Promise<void> {
    await this.attempt(() => reader.verify())
    await this.attempt(() => checkTrailer(disk, this.#path))
    const index = await readIndex(reader, file)
    this.#nextSeq = index.first_seq
    for (const page of index.pages) {
      const before = this.#at
      await this.attempt(() => this.#page(reader, page))
      this.#nextSeq = page.last_seq + 1
      this.#onBytes(this.#at - before)
    }
    this.#onBytes(reader.size - this.#at)
    this.#compare(index, unionOf(index.pages), 0, 'the index')
    // What could not be read is missing in the sum, and was complained about already.
    if (this.findings.length > 0 || !this.#looksIntoLines) return
    await this.attempt(() => this.#compareDurations(reader, index))
  }

  /** Damage becomes a finding, and what comes after it is still looked at. */
  async attempt(check: () => Promise<void>): Promise<void> {
    try {
      await check()
    } catch (error) {
      if (error instanceof LedgerDamaged) this.#found(error.place, error.message)
      else if (error instanceof UnknownFormat) this.#found({ file: this.#path, byte: 0 }, error.message)
      else throw error
    }
  }

  async #page(reader: BlockFileReader, page: PageHeader): Promise<void> {
    const blocks = decodeMember<readonly BlockHeader[]>(
      'page',
      await reader.member(page),
      this.#path,
      page.at,
    )
    const names = new Set<string>()
    const before = this.findings.length
    for (const block of blocks) {
      if (block.at !== this.#at || block.first_seq !== this.#nextSeq) {
        this.#complain(block.at, `the block there does not follow the one before it`)
      }
      await this.attempt(() => this.#block(reader, block, names))
      this.#nextSeq = block.last_seq + 1
      this.#at = block.at + block.bytes
    }
    this.#compare(page, unionOf(blocks), page.at, 'the page')
    if (this.findings.length > before || !this.#looksIntoLines) return
    const ids = decodeMember<string>('ids', await reader.member(page.ids), this.#path, page.ids.at)
    if (ids !== filterOf(names)) this.#complain(page.ids.at, 'the filter is not that of the blocks before it')
  }

  async #block(reader: BlockFileReader, block: BlockHeader, names: Set<string>): Promise<void> {
    const text = await reader.member(block)
    if (!this.#looksIntoLines) return this.#checksums(text, block)
    const header = new HeaderBuilder(block.first_seq)
    const before = this.#lines
    this.#lines += block.lines
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf(NEWLINE, start)
      const place = { file: this.#path, byte: block.at, line: before + header.lines + 1 }
      const line = checkedLine(text.subarray(start, end === -1 ? text.length : end), place)
      if (line.seq !== header.nextSeq) {
        throw new LedgerDamaged(place, `seq ${header.nextSeq} should come here, and seq ${line.seq} does`)
      }
      const entries = entriesOf(line)
      header.add(line, entries)
      for (const entry of entries) this.#durations.add(entry)
      start = end === -1 ? text.length : end + 1
    }
    for (const name of header.names) names.add(name)
    this.#compare(block, blockHeader(block, header), block.at, 'the header of the block')
  }

  #checksums(text: Buffer, block: BlockHeader): void {
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf(NEWLINE, start)
      const line = text.subarray(start, end === -1 ? text.length : end)
      mustHaveChecksum(line, { file: this.#path, byte: block.at })
      start += line.length + 1
    }
  }

  async #compareDurations(reader: BlockFileReader, { durations }: SegmentIndex): Promise<void> {
    const there =
      durations === null
        ? null
        : decodeMember('durations', await reader.member(durations), this.#path, durations.at)
    if (JSON.stringify(there) === JSON.stringify(this.#durations.toFields())) return
    this.#complain(durations?.at ?? 0, 'the durations are not those of the lines')
  }

  #compare<H extends object>(said: H, is: Partial<H>, byte: number, what: string): void {
    if (JSON.stringify(said) === JSON.stringify({ ...said, ...is })) return
    this.#complain(byte, `${what} does not say what is there`)
  }

  #complain(byte: number, what: string): void {
    this.#found({ file: this.#path, byte }, what)
  }

  #found({ file, byte, line }: Place, what: string): void {
    const where = `${file},${line === undefined ? '' : ` line ${line},`} byte ${byte}`
    // Errors say where they happened themselves.
    const told = what.startsWith(`${where}: `) ? what.slice(where.length + 2) : what
    this.findings.push({ file, byte, ...(line === undefined ? null : { line }), where, what: told })
  }
}

function checkedLine(bytes: Buffer, place: Place): Line {
  mustHaveChecksum(bytes, place)
  const line = parseObject(bytes.toString('utf8'))
  if (line === null) throw new LedgerDamaged(place, 'the line is not JSON')
  return line as unknown as Line
}

function mustHaveChecksum(bytes: Buffer, place: Place): void {
  if (!hasChecksum(bytes)) throw new LedgerDamaged(place, 'the line does not have its checksum')
}

/**
 * The checksum is of everything before the trailer, and inflating the trailer does not look at every bit of its gzip
 * header. So it is compared with the one that would be written today, by the system that wrote the first block.
 */
async function checkTrailer(disk: Disk, path: string): Promise<void> {
  const file = await disk.openToRead(path)
  if (file === null) throw new LedgerDamaged({ file: path, byte: 0 }, 'the file is missing')
  try {
    const at = (await file.size()) - trailerBytes(DRESS)
    const bytes = await file.read(at, trailerBytes(DRESS))
    const again = encodeTrailer(decodeTrailer(bytes, DRESS, path, at), DRESS)
    again.set(await file.read(SYSTEM_AT, 1), SYSTEM_AT)
    if (Buffer.compare(bytes, again) !== 0)
      throw new LedgerDamaged({ file: path, byte: at }, 'the trailer was changed')
  } finally {
    await file.close()
  }
}
