// Finds lines with a text in them. Looked for in parts, so that the page goes on meanwhile.
import { plainText } from '../../../shapes/ansi.ts'

/** More are not of use to anybody. */
const MOST_HITS = 10_000

export interface Source {
  readonly lines: number
  line(index: number): string
}

export class LogSearch {
  /** Lines that have it, in order. */
  readonly hits: number[] = []
  readonly #wanted: string
  readonly #source: Source
  #next = 0

  constructor(text: string, source: Source) {
    this.#wanted = text.toLowerCase()
    this.#source = source
  }

  get isFull(): boolean {
    return this.hits.length >= MOST_HITS
  }

  /** Looks through some more lines; true when it is through all that there are. The last one is looked at again: it may grow. */
  look(most: number): boolean {
    const { lines } = this.#source
    const end = Math.min(lines, this.#next + most)
    for (let i = this.#next; i < end && !this.isFull; i++) {
      if (this.hits.at(-1) === i) continue
      if (plainText(this.#source.line(i)).toLowerCase().includes(this.#wanted)) this.hits.push(i)
    }
    this.#next = end === lines ? Math.max(0, lines - 1) : end
    return end === lines || this.isFull
  }
}
