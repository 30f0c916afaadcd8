import type { TextStream } from './text-stream.ts'
import { cutTo } from './text-width.ts'

const ESCAPE = '\u001b['

/** Lines at the end of a terminal that are written over and over, each cut to its width. */
export class LiveRegion {
  readonly #stream: TextStream
  #height = 0

  constructor(stream: TextStream) {
    this.#stream = stream
  }

  async draw(lines: readonly string[]): Promise<void> {
    const room = this.#stream.columns - 1
    const text = lines.map((line) => `${cutTo(line, room)}\n`).join('')
    const before = this.#back
    this.#height = lines.length
    await this.#stream.write(`${before}${text}`)
  }

  /** Takes them away, so that something can be written that stays. */
  async clear(): Promise<void> {
    if (this.#height === 0) return
    const before = this.#back
    this.#height = 0
    await this.#stream.write(before)
  }

  /** To the first of its lines, and everything from there on gone. */
  get #back(): string {
    return this.#height === 0 ? '' : `${ESCAPE}${this.#height}F${ESCAPE}J`
  }
}
