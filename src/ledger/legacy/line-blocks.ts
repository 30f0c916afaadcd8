import { createHash } from 'node:crypto'
import type { DiskReader } from '../../world/disk.ts'

/** Longest line that is read; nothing that a log says takes more. */
export const LONGEST_LINE_BYTES = 16 * 1024 * 1024

const READ_BYTES = 1024 * 1024

/** A block is taken over as one: large enough to be worth a write, small enough to wait for. */
const MOST_LINES = 1024
const BLOCK_BYTES = 256 * 1024

/** Of a line that is too long, so much is shown. */
const SHOWN_BYTES = 4096

const NEWLINE = 10
const RETURN = 13
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** Some whole lines of a file. */
export interface LineBlock {
  readonly bytes: Buffer
  /** Where in the file it begins. */
  readonly at: number
  /** Number of its first line, from 1. */
  readonly firstLine: number
  /** Where in `bytes` each line begins; one more for where the last one ends, newline included. */
  readonly starts: readonly number[]
  /** The last line has no newline: it is the end of the file, and whoever wrote it may not have been done. */
  readonly isOpen: boolean
  /** The one line of the block is too long, and `bytes` are its beginning only. */
  readonly tooLong: TooLong | null
}

interface TooLong {
  readonly bytes: number
  /** Of the whole line. */
  readonly sha256: Buffer
}

/** How many lines a block has. */
export function linesOf({ starts }: LineBlock): number {
  return starts.length - 1
}

/** Where the content of a line begins: after the byte order mark that a file may have. */
export function startOf({ bytes, starts, at }: LineBlock, index: number): number {
  const isMarked = at === 0 && index === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)
  return (starts[index] as number) + (isMarked ? BYTE_ORDER_MARK.length : 0)
}

/** Where it ends: before the newline, and the carriage return that may come before it. */
export function endOf({ bytes, starts, isOpen, tooLong }: LineBlock, index: number): number {
  let end = starts[index + 1] as number
  if (tooLong !== null) return end
  if (!isOpen || index < starts.length - 2) end--
  return end > (starts[index] as number) && bytes[end - 1] === RETURN ? end - 1 : end
}

/** Reads a file up to a size, block by block, and never holds more than a few of them. */
export async function* lineBlocks(
  reader: DiskReader,
  size: number,
  longestBytes = LONGEST_LINE_BYTES,
): AsyncGenerator<LineBlock> {
  const chunks = new Chunks(reader, size)
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  let line = 1
  for (let chunk = await chunks.next(); chunk !== null; chunk = await chunks.next()) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (;;) {
      const starts = cut(bytes, from)
      if (starts.length === 1) break
      const end = starts.at(-1) as number
      yield blockOf(bytes.subarray(from, end), at + from, line, starts, from)
      line += starts.length - 1
      from = end
    }
    rest = bytes.subarray(from)
    at += from
    if (rest.length <= longestBytes) continue
    const { block, after } = await readTooLong(rest, chunks, at, line)
    yield block
    rest = after
    at += block.tooLong.bytes
    line++
  }
  if (rest.length === 0) return
  yield { bytes: rest, at, firstLine: line, starts: [0, rest.length], isOpen: true, tooLong: null }
}

/** The beginnings of the lines of a block, and its end. */
function cut(bytes: Buffer, from: number): number[] {
  const starts = [from]
  let start = from
  while (starts.length <= MOST_LINES && start - from < BLOCK_BYTES) {
    const newline = bytes.indexOf(NEWLINE, start)
    if (newline === -1) break
    start = newline + 1
    starts.push(start)
  }
  return starts
}

function blockOf(bytes: Buffer, at: number, firstLine: number, starts: number[], from: number): LineBlock {
  if (from > 0) for (let i = 0; i < starts.length; i++) (starts[i] as number) -= from
  return { bytes, at, firstLine, starts, isOpen: false, tooLong: null }
}

/** Goes on to its end without keeping it. */
async function readTooLong(
  head: Buffer,
  chunks: Chunks,
  at: number,
  firstLine: number,
): Promise<{ readonly block: LineBlock & { readonly tooLong: TooLong }; readonly after: Buffer }> {
  const hash = createHash('sha256').update(head)
  const bytes = Buffer.from(head.subarray(0, SHOWN_BYTES))
  let length = head.length
  let after: Buffer = Buffer.alloc(0)
  let isOpen = true
  for (let chunk = await chunks.next(); chunk !== null; chunk = await chunks.next()) {
    const newline = chunk.indexOf(NEWLINE)
    const end = newline === -1 ? chunk.length : newline + 1
    hash.update(chunk.subarray(0, end))
    length += end
    if (newline === -1) continue
    after = chunk.subarray(end)
    isOpen = false
    break
  }
  const tooLong = { bytes: length, sha256: hash.digest() }
  return { block: { bytes, at, firstLine, starts: [0, bytes.length], isOpen, tooLong }, after }
}

/** The next part of a file is being read while this one is looked at. */
class Chunks {
  readonly #reader: DiskReader
  readonly #size: number
  #position = 0
  #next: Promise<Uint8Array> | null = null

  constructor(reader: DiskReader, size: number) {
    this.#reader = reader
    this.#size = size
  }

  async next(): Promise<Buffer | null> {
    const read = this.#next ?? this.#read()
    this.#next = null
    const chunk = await read
    if (chunk === null || chunk.length === 0) return null
    this.#position += chunk.length
    this.#next = this.#read()
    // Whoever does not come for it does not want to know.
    this.#next?.catch(() => {})
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  }

  #read(): Promise<Uint8Array> | null {
    const left = this.#size - this.#position
    return left <= 0 ? null : this.#reader.read(this.#position, Math.min(READ_BYTES, left))
  }
}
