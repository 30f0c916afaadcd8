import { CHECKSUM_ROOM, fillChecksum } from './lines/checksum.ts'

/** Most bytes that a character of a string can take. */
const BYTES_PER_CHARACTER = 3

const FIRST_BYTES = 64 * 1024

/** How many lines a batch has is only known at its end; there is room for so many digits. */
const COUNT_DIGITS = 7
const COUNT_ROOM = ' '.repeat(COUNT_DIGITS)

/**
 * The lines of a batch as bytes. They are written as they come, so that no line has to be kept as a string until
 * the disk is ready: thousands of strings that wait for a moment are what garbage collection is slowest at.
 */
export class BatchBuffer {
  readonly #place: string
  readonly #counts: number[] = []
  readonly #ends: number[] = []
  #bytes: Buffer = EMPTY
  #end = 0

  constructor(firstSeq: number) {
    this.#place = `,"batch":[${firstSeq},`
  }

  get lines(): number {
    return this.#ends.length
  }

  get size(): number {
    return this.#end
  }

  /** A line as it is without its place in the batch and its checksum: an object. */
  add(line: string): void {
    const ending = `${COUNT_ROOM},${this.#ends.length}]${CHECKSUM_ROOM}`
    this.#makeRoom(line.length * BYTES_PER_CHARACTER + this.#place.length + ending.length)
    // Over the closing brace.
    const at = this.#end + this.#bytes.write(line, this.#end) - 1
    const count = at + this.#bytes.write(this.#place, at, 'latin1')
    this.#end = count + this.#bytes.write(ending, count, 'latin1')
    this.#counts.push(count)
    this.#ends.push(this.#end)
  }

  /** Everything, with the number of lines and the checksum of each filled in. */
  finish(): Buffer {
    const count = String(this.#ends.length)
    let start = 0
    for (const [index, end] of this.#ends.entries()) {
      this.#bytes.write(count, this.#counts[index] as number, 'latin1')
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
