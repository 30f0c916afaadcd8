import { jsonText } from '../../../core/json-text.ts'

/** Most bytes that a character of a string can take. */
const BYTES_PER_CHARACTER = 3

/** A number, and all that stands between two values. */
const ROOM = 64

/** Longer texts are quoted faster by the engine. */
const SHORT = 96

const FIRST_BYTES = 64 * 1024

const QUOTE = 0x22
const DIGIT_0 = 0x30
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const LAST_PRINTABLE = 0x7e

const NULL = constant('null')

/** Part of a line that is always the same. Nothing but ASCII. */
export function constant(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

/**
 * JSON as bytes, put together value by value. Lines are written into memory that is there already: strings made of as
 * many parts would be garbage a moment later, several kilobytes for each change, and collecting them takes longer than this.
 */
export class LineBytes {
  protected memory: Buffer
  protected end = 0

  /** Writes into bytes that nobody needs any more, as far as they go. */
  constructor(bytes: Buffer = EMPTY) {
    this.memory = bytes
  }

  get bytes(): Buffer {
    return this.memory
  }

  get size(): number {
    return this.end
  }

  put(bytes: Uint8Array): void {
    this.makeRoom(bytes.length)
    this.memory.set(bytes, this.end)
    this.end += bytes.length
  }

  /** One character of ASCII. */
  byte(code: number): void {
    this.makeRoom(1)
    this.memory[this.end++] = code
  }

  /** A quoted text: what `JSON.stringify` makes of it. */
  text(text: string): void {
    if (text.length > SHORT) {
      this.json(JSON.stringify(text))
      return
    }
    this.makeRoom(text.length + 2)
    const into = this.memory
    let at = this.end
    into[at++] = QUOTE
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      const isPlain =
        code >= FIRST_PRINTABLE && code <= LAST_PRINTABLE && code !== QUOTE && code !== BACKSLASH
      if (!isPlain) {
        this.json(JSON.stringify(text))
        return
      }
      into[at++] = code
    }
    into[at++] = QUOTE
    this.end = at
  }

  number(value: number): void {
    this.makeRoom(ROOM)
    if (value >= 0 && value < 10 && Number.isInteger(value)) this.memory[this.end++] = DIGIT_0 + value
    else if (Number.isFinite(value)) this.#plain(String(value))
    else this.put(NULL)
  }

  /** Any value that JSON can hold. */
  value(value: unknown): void {
    if (typeof value === 'string') this.text(value)
    else if (typeof value === 'number') this.number(value)
    else if (value === null) this.put(NULL)
    else this.json(typeof value === 'object' ? jsonText(value) : JSON.stringify(value))
  }

  /** What is JSON already. */
  json(json: string): void {
    this.makeRoom(json.length * BYTES_PER_CHARACTER)
    this.end += this.memory.write(json, this.end)
  }

  protected makeRoom(bytes: number): void {
    const needed = this.end + bytes
    if (needed <= this.memory.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * this.memory.length, needed))
    this.memory.copy(larger, 0, 0, this.end)
    this.memory = larger
  }

  #plain(text: string): void {
    for (let i = 0; i < text.length; i++) this.memory[this.end++] = text.charCodeAt(i)
  }
}

const EMPTY = Buffer.alloc(0)
