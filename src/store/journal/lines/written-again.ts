import type { LineBytes } from './line-bytes.ts'

/** Longer pieces are not kept: they are not what many lines have in common. */
const MOST_BYTES = 1024

/** A piece of a line that is often the same as in the line before: then what was written is written again. */
export class WrittenAgain<T> {
  readonly #write: (value: T, into: LineBytes) => void
  readonly #isSame: (a: T, b: T) => boolean
  #last: T | null = null
  #bytes: Uint8Array = new Uint8Array()

  /** `isSame` compares everything that `write` looks at. */
  constructor(write: (value: T, into: LineBytes) => void, isSame: (a: T, b: T) => boolean) {
    this.#write = write
    this.#isSame = isSame
  }

  write(value: T, into: LineBytes): void {
    if (this.#last !== null && this.#isSame(value, this.#last)) {
      into.put(this.#bytes)
      return
    }
    const start = into.size
    this.#write(value, into)
    const isKept = into.size - start <= MOST_BYTES
    this.#last = isKept ? value : null
    if (isKept) this.#bytes = into.since(start)
  }
}
