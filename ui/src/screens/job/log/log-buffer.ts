// The lines of a log, as far as they were read: one stretch of it, that grows at both ends. Text is kept in pieces, and only
// where lines begin is known besides, so that a million lines are little more than their text.

interface Piece {
  readonly text: string
  /** Where each line begins. */
  readonly starts: Uint32Array
}

/** A piece that grows line by line is put together with what comes, until it is this long. */
const MERGED_CHARS = 256 * 1024

export class LogBuffer {
  /** Earlier ones first. A line never reaches over two of them. */
  #pieces: Piece[] = []
  /** How many lines there are before each piece. */
  #before: number[] = []
  #lines = 0

  get lines(): number {
    return this.#lines
  }

  /** What comes after everything that is there. The last line may be unfinished. */
  append(text: string): void {
    if (text === '') return
    const last = this.#pieces.at(-1)
    if (last === undefined || (last.text.endsWith('\n') && last.text.length >= MERGED_CHARS)) {
      this.#pieces.push(pieceOf(text))
    } else if (last.text.length < MERGED_CHARS) {
      this.#pieces[this.#pieces.length - 1] = pieceOf(last.text + text)
    } else {
      // The unfinished line goes on in the new piece.
      const cut = last.text.lastIndexOf('\n') + 1
      const rest = pieceOf(last.text.slice(cut) + text)
      if (cut === 0) this.#pieces[this.#pieces.length - 1] = rest
      else this.#pieces.splice(-1, 1, pieceOf(last.text.slice(0, cut)), rest)
    }
    this.#count()
  }

  /** What comes right before everything that is there. Answers by how many lines it has grown. */
  prepend(text: string): number {
    const lines = this.#lines
    const cut = text.lastIndexOf('\n') + 1
    const [first] = this.#pieces
    if (cut < text.length) {
      const whole = pieceOf(text.slice(cut) + (first?.text ?? ''))
      if (first === undefined) this.#pieces.unshift(whole)
      else this.#pieces[0] = whole
    }
    if (cut > 0) this.#pieces.unshift(pieceOf(text.slice(0, cut)))
    this.#count()
    return this.#lines - lines
  }

  /** Counted from the first that is there. */
  line(index: number): string {
    const at = this.#pieceWith(index)
    const piece = this.#pieces[at]
    if (piece === undefined || index < 0 || index >= this.#lines) return ''
    const n = index - (this.#before[at] ?? 0)
    const start = piece.starts[n] ?? 0
    const next = piece.starts[n + 1] ?? piece.text.length
    return piece.text.slice(start, piece.text[next - 1] === '\n' ? next - 1 : next)
  }

  clear(): void {
    this.#pieces = []
    this.#count()
  }

  /** Everything, in parts. */
  texts(): readonly string[] {
    return this.#pieces.map(({ text }) => text)
  }

  #pieceWith(index: number): number {
    let low = 0
    let high = this.#before.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#before[middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  #count(): void {
    let lines = 0
    this.#before = this.#pieces.map(({ starts }) => {
      const before = lines
      lines += starts.length
      return before
    })
    this.#lines = lines
  }
}

function pieceOf(text: string): Piece {
  let lines = 0
  for (let i = 0; i >= 0 && i < text.length; lines++) i = text.indexOf('\n', i) + 1 || text.length
  const starts = new Uint32Array(lines)
  let at = 0
  for (let n = 0; n < lines; n++) {
    starts[n] = at
    at = text.indexOf('\n', at) + 1
  }
  return { text, starts }
}
