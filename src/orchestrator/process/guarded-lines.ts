import { LOG_MARK } from './log-mark.ts'

const NEWLINE = 0x0a
const MARK = Buffer.from(LOG_MARK)
const SPACE = Buffer.from(' ')

/** Lets through what a program prints, but no line that begins like one of ours: such a line gets a space in front. */
export class GuardedLines {
  #isLineStart = true
  /** So much of the mark has come at the start of a line, and is kept back until it is clear what follows. */
  #held = 0

  pass(bytes: Uint8Array): Uint8Array {
    const all = this.#held === 0 ? bytes : Buffer.concat([this.#take(), bytes])
    const parts: Uint8Array[] = []
    let from = 0
    let line = this.#isLineStart ? 0 : lineAfter(all, 0)
    this.#isLineStart = false
    while (line !== -1) {
      const length = matching(all, line)
      if (length === MARK.length) {
        parts.push(all.subarray(from, line), SPACE)
        from = line
      } else if (line + length === all.length) {
        this.#isLineStart = true
        this.#held = length
        break
      }
      line = lineAfter(all, line + length)
    }
    const rest = all.subarray(from, all.length - this.#held)
    return parts.length === 0 ? rest : Buffer.concat([...parts, rest])
  }

  /** What is kept back, before a line of our own or at the end. */
  flush(): Uint8Array {
    this.#isLineStart = true
    return this.#take()
  }

  #take(): Uint8Array {
    const held = MARK.subarray(0, this.#held)
    this.#held = 0
    return held
  }
}

/** Where the next line starts; -1 when there is no end of this one. */
function lineAfter(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(NEWLINE, from) + 1 || -1
}

/** How many bytes of the mark there are. */
function matching(bytes: Uint8Array, from: number): number {
  let length = 0
  while (length < MARK.length && bytes[from + length] === MARK[length]) length++
  return length
}
