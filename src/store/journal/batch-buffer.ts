import { CHECKSUM_ROOM, fillChecksum } from './lines/checksum.ts'

/** Most bytes that a character of a string can take. */
const BYTES_PER_CHARACTER = 3

const FIRST_BYTES = 64 * 1024

/** How many lines a batch has is only known at its end; there is room for so many digits. */
const COUNT_DIGITS = 7
const COUNT_ROOM = ' '.repeat(COUNT_DIGITS)

const ENDING = Buffer.from(`]${CHECKSUM_ROOM}`)

/**
 * The lines of a batch as bytes. They are written as they come, so that no line has to be kept as a string until
 * the disk is ready: thousands of strings that wait for a moment are what garbage collection is slowest at.
 */
export class BatchBuffer {
  readonly #place: Buffer
  readonly #counts: number[] = []
  readonly #ends: number[] = []
  #bytes: Buffer
  #end = 0

  /** Writes into bytes that nobody needs any more, as far as they go. */
  constructor(firstSeq: number, bytes: Buffer = EMPTY) {
    this.#place = Buffer.from(`,"batch":[${firstSeq},${COUNT_ROOM},`)
    this.#bytes = bytes
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  get lines(): number {
    return this.#ends.length
  }

  get size(): number {
    return this.#end
  }

  /** A line as it is without its place in the batch and its checksum: an object. */
  add(line: string): void {
    const index = String(this.#ends.length)
    const around = this.#place.length + index.length + ENDING.length
    this.#makeRoom(line.length * BYTES_PER_CHARACTER + around)
    const bytes = this.#bytes
    // Over the closing brace.
    const place = this.#end + bytes.write(line, this.#end) - 1
    bytes.set(this.#place, place)
    const digits = place + this.#place.length
    const ending = writeDigits(bytes, digits, index)
    bytes.set(ENDING, ending)
    this.#end = ending + ENDING.length
    this.#counts.push(digits - COUNT_DIGITS - 1)
    this.#ends.push(this.#end)
  }

  /** Everything, with the number of lines and the checksum of each filled in. */
  finish(): Buffer {
    const count = String(this.#ends.length)
    let start = 0
    for (let index = 0; index < this.#ends.length; index++) {
      const end = this.#ends[index] as number
      writeDigits(this.#bytes, this.#counts[index] as number, count)
      fillChecksum(this.#bytes, start, end)
      start = end
    }
    return this.#bytes.subarray(0, this.#end)
  }

  #makeRoom(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * this.#bytes.length, needed))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

const EMPTY = Buffer.alloc(0)

/** Answers where they end. */
function writeDigits(bytes: Buffer, at: number, digits: string): number {
  for (let i = 0; i < digits.length; i++) bytes[at + i] = digits.charCodeAt(i)
  return at + digits.length
}
