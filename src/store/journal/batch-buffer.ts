import { CHECKSUM_ROOM, fillChecksum } from './lines/checksum.ts'
import { constant, LineBytes } from './lines/line-bytes.ts'

/** How many lines a batch has is only known at its end; there is room for so many digits. */
const COUNT_DIGITS = 7

const BEFORE_SEQ = constant(',"batch":[')
const COUNT_ROOM = constant(`,${' '.repeat(COUNT_DIGITS)},`)
const ENDING = constant(`]${CHECKSUM_ROOM}`)

/**
 * The lines of a batch as bytes. They are written as they come, so that no line has to be kept as a string until
 * the disk is ready: thousands of strings that wait for a moment are what garbage collection is slowest at.
 */
export class BatchBuffer extends LineBytes {
  readonly #firstSeq: number
  /** The part of its place that every line has; null as long as there is one line, which most batches stay at. */
  #place: Uint8Array | null = null
  /** Lines that others may be said to be like, by what they have in common, and which of the lines they are. */
  readonly #models = new Map<object, { readonly model: object; readonly nth: number }>()
  readonly #counts: number[] = []
  readonly #ends: number[] = []

  /** Writes into bytes that nobody needs any more, as far as they go. */
  constructor(firstSeq: number, bytes?: Buffer) {
    super(bytes)
    this.#firstSeq = firstSeq
  }

  get lines(): number {
    return this.#ends.length
  }

  /** A line as it is without its place in the batch and its checksum: an object. */
  add(line: string): void {
    this.json(line)
    // Over the closing brace.
    this.end--
    this.endLine()
  }

  /** Everything since the last line is one, but for its place in the batch, its checksum and its closing brace. */
  endLine(): void {
    if (this.#place !== null) this.put(this.#place)
    else this.#putPlace()
    const counts = this.end - COUNT_DIGITS - 1
    this.number(this.#ends.length)
    this.put(ENDING)
    this.#counts.push(counts)
    this.#ends.push(this.end)
  }

  #putPlace(): void {
    const start = this.end
    this.put(BEFORE_SEQ)
    this.number(this.#firstSeq)
    this.put(COUNT_ROOM)
    if (this.lines > 0) this.#place = this.since(start)
  }

  /** Takes back all but the first so many lines, and what was begun after them. */
  cutTo(lines: number): void {
    this.#ends.length = lines
    this.#counts.length = lines
    this.end = this.#ends.at(-1) ?? 0
    for (const [key, { nth }] of this.#models) if (nth >= lines) this.#models.delete(key)
  }

  /** The line that was just ended is what others with this in common are like. */
  keepModel(key: object, model: object): void {
    this.#models.set(key, { model, nth: this.lines - 1 })
  }

  modelOf(key: object): object | undefined {
    return this.#models.get(key)?.model
  }

  /** Everything, with the number of lines and the checksum of each filled in. */
  finish(): Buffer {
    const count = String(this.#ends.length)
    let start = 0
    for (let index = 0; index < this.#ends.length; index++) {
      const end = this.#ends[index] as number
      writeDigits(this.memory, this.#counts[index] as number, count)
      fillChecksum(this.memory, start, end)
      start = end
    }
    return this.memory.subarray(0, this.end)
  }
}

function writeDigits(bytes: Buffer, at: number, digits: string): void {
  for (let i = 0; i < digits.length; i++) bytes[at + i] = digits.charCodeAt(i)
}
