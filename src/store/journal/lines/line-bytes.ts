/** Most bytes that a character of a string can take. */
const BYTES_PER_CHARACTER = 3

/** A number, and all that stands between two values. */
const ROOM = 64

/** Longer texts are quoted faster by the engine. */
const SHORT = 96

const FIRST_BYTES = 64 * 1024

/** Up to here three digits after the point are exact. */
const MOST_PLAIN = 1e12

const QUOTE = 0x22
const POINT = 0x2e
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

  /** A copy of what was written from there on. */
  since(start: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.memory, start, this.end)
  }

  /** One that was written already. */
  overwrite(at: number, code: number): void {
    this.memory[at] = code
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

  /** The same of a text that was made here, and has nothing but ASCII that stands for itself. */
  plainText(text: string): void {
    const { length } = text
    this.makeRoom(length + 2)
    this.memory[this.end] = QUOTE
    this.memory.write(text, this.end + 1, length, 'latin1')
    this.memory[this.end + length + 1] = QUOTE
    this.end += length + 2
  }

  number(value: number): void {
    this.makeRoom(ROOM)
    if (value >= 0 && value <= MOST_PLAIN && this.#plainNumber(value)) return
    if (Number.isFinite(value)) this.#plain(String(value))
    else this.put(NULL)
  }

  /** Any value that JSON can hold. */
  value(value: unknown): void {
    if (typeof value === 'string') this.text(value)
    else if (typeof value === 'number') this.number(value)
    else if (value === null) this.put(NULL)
    else this.json(JSON.stringify(value))
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

  /** Nearly all numbers are whole, or times in seconds: up to three digits after the point. Answers whether it is one. */
  #plainNumber(value: number): boolean {
    const whole = Math.floor(value)
    if (whole === value) {
      this.#digits(whole)
      return true
    }
    const thousandths = Math.round((value - whole) * 1000)
    if ((whole * 1000 + thousandths) / 1000 !== value) return false
    this.#digits(whole)
    this.memory[this.end++] = POINT
    const tens = thousandths % 100
    this.memory[this.end++] = DIGIT_0 + (thousandths - tens) / 100
    if (tens === 0) return true
    const ones = tens % 10
    this.memory[this.end++] = DIGIT_0 + (tens - ones) / 10
    if (ones > 0) this.memory[this.end++] = DIGIT_0 + ones
    return true
  }

  /** Of a whole number. */
  #digits(value: number): void {
    let end = this.end + 1
    for (let bound = 10; bound <= value; bound *= 10) end++
    let rest = value
    for (let at = end - 1; at >= this.end; at--) {
      const above = Math.floor(rest / 10)
      this.memory[at] = DIGIT_0 + rest - 10 * above
      rest = above
    }
    this.end = end
  }

  #plain(text: string): void {
    for (let i = 0; i < text.length; i++) this.memory[this.end++] = text.charCodeAt(i)
  }
}

const EMPTY = Buffer.alloc(0)
