import type { AuditEntry } from '../../../core/audit.ts'
import { BatchLines, type WrittenLine, wholeText } from '../lines/batch-lines.ts'
import { hasChecksum } from '../lines/checksum.ts'
import { entriesOf, type Line, placesOf, type ReadLine } from '../lines/line.ts'

const NEWLINE = 0x0a

/** A line with where it is. */
interface PlacedLine extends ReadLine {
  /** Of its first byte, in the file. */
  readonly at: number
}

export interface ParsedBatch {
  readonly lines: readonly PlacedLine[]
  readonly firstSeq: number
  readonly lastSeq: number
  /** Where its first line begins and its last one ends. */
  readonly at: number
  readonly end: number
}

export interface Parsed {
  readonly batches: readonly ParsedBatch[]
  /** Where the last whole batch ends; not later, since what is blank after it may be being written to. */
  readonly end: number
  /** The first line that is not what it has to be, and why; null when there are only blank lines after `end`. */
  readonly trouble: Trouble | null
}

export interface Trouble {
  readonly at: number
  readonly what: string
}

/**
 * Whole batches in bytes that begin between two batches. Knowing which seq comes next, it stops at the first
 * line that is not the next line of the next batch. When there are more bytes than these, a batch that does not end in
 * them is not looked into: that is done when all of it is there.
 */
export function parseBatches(bytes: Buffer, base: number, nextSeq: number, isMore = false): Parsed {
  const batches: ParsedBatch[] = []
  let seq = nextSeq
  let end = base
  for (let at = skipBlank(bytes, 0); at < bytes.length; at = skipBlank(bytes, end - base)) {
    const batch = parseBatch(bytes, base, at, seq, isMore)
    if ('what' in batch) return { batches, end, trouble: batch }
    batches.push(batch)
    seq = batch.lastSeq + 1
    end = batch.end
  }
  return { batches, end, trouble: null }
}

function parseBatch(
  bytes: Buffer,
  base: number,
  start: number,
  nextSeq: number,
  isMore: boolean,
): ParsedBatch | Trouble {
  const lines: PlacedLine[] = []
  const whole = new BatchLines()
  let seq = nextSeq
  let at = start
  for (let count = 1; lines.length < count; ) {
    const end = bytes.indexOf(NEWLINE, at)
    if (end === -1) return { at: base + at, what: 'the line is cut off' }
    const text = bytes.subarray(at, end)
    const written = parseLine(text)
    const line = typeof written === 'string' ? written : whole.add(written)
    if (typeof line === 'string') return { at: base + at, what: line }
    const [first, size, index] = line.batch
    if (line.seq !== seq || first !== nextSeq || index !== lines.length) {
      return { at: base + at, what: `seq ${nextSeq} should come here, and seq ${line.seq} does` }
    }
    const entries = entriesOf(line)
    lines.push(
      line === written
        ? { line, entries, at: base + at, bytes: text }
        : new LikeLine(line, entries, base + at),
    )
    if (index === 0 && isMore && !hasLines(bytes, end + 1, size - 1)) {
      return { at: base + start, what: 'the batch is cut off' }
    }
    count = size
    seq += placesOf(line, entries)
    at = end + 1
  }
  return { lines, firstSeq: nextSeq, lastSeq: seq - 1, at: base + start, end: base + at }
}

function hasLines(bytes: Buffer, from: number, count: number): boolean {
  let at = from
  for (let n = 0; n < count; n++) {
    at = bytes.indexOf(NEWLINE, at) + 1
    if (at === 0) return false
  }
  return true
}

/** One that stands there as what is different from another one. */
class LikeLine implements PlacedLine {
  readonly line: Line
  readonly entries: readonly AuditEntry[]
  readonly at: number

  constructor(line: Line, entries: readonly AuditEntry[], at: number) {
    this.line = line
    this.entries = entries
    this.at = at
  }

  /** As a whole: whoever wants to keep it may have no other with it. */
  get bytes(): Uint8Array {
    return Buffer.from(wholeText(this.line))
  }
}

/** The line as it stands there, or what is wrong with it. */
export function parseLine(bytes: Buffer): WrittenLine | string {
  if (bytes.length === 0) return 'the line is blank'
  if (!hasChecksum(bytes)) return 'the line does not have its checksum'
  try {
    return JSON.parse(bytes.toString('utf8')) as WrittenLine
  } catch {
    return 'the line is not JSON'
  }
}

/**
 * Whether a good line of another batch than the one that begins with `seq` is there: then bytes before it have
 * changed that were safe already, for a batch is only written when the one before it is.
 */
export function holdsLineOfOtherBatch(bytes: Buffer, seq: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    if (goodLines(bytes.subarray(at, end)).some(({ batch }) => batch?.[0] !== seq)) return true
    at = end + 1
  }
  return false
}

/** The line; or, when its beginning is damaged or the end of the line before it is, the good line that it ends with. */
function goodLines(bytes: Buffer): readonly Line[] {
  for (let at = 0; at !== -1 && at < bytes.length; at = bytes.indexOf(START_OF_LINE, at + 1)) {
    const line = parseLine(bytes.subarray(at))
    if (typeof line !== 'string') return [line]
  }
  return []
}

/** Nowhere but where a line begins: inside of texts, quotes are escaped. */
const START_OF_LINE = '{"seq":'

/** Only newlines, and zeros where the file grew and was never written. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === NEWLINE || byte === 0)
}

export function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

export function skipBlank(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] === NEWLINE) at++
  return at
}
