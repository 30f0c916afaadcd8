// No text of JSON has a line break, a carriage return or a tab of its own. So these stand around everything where it is to be cut
// apart: nobody has to read what is in a job to know where it ends, or to write it once more. Cut at them, what was put together is
// every other piece, and what is in between is brackets and commas.

export const SECTIONS = '\r\r'
const LINES = '\n'
const PIECES = '\t'
export const VALUES = '\r'

export function around(mark: string, texts: readonly string[]): string {
  return texts.length === 0 ? '[]' : `[${mark}${texts.join(`${mark},${mark}`)}${mark}]`
}

export function cutAt(mark: string, text: string): readonly string[] {
  return text.split(mark).filter((_, index) => index % 2 === 1)
}

export function line(...pieces: readonly string[]): string {
  return around(PIECES, pieces)
}

export function linesOf<T>(rows: readonly T[], text: (row: T) => string): string {
  return around(LINES, rows.map(text))
}

export function piecesIn(text: string): readonly (readonly string[])[] {
  return cutAt(LINES, text).map((line) => cutAt(PIECES, line))
}

/** Those of jobs that are alike are read once. */
export class Heads {
  #text = ''
  #head: readonly unknown[] = []

  read<H extends readonly unknown[]>(text: string): H {
    if (text !== this.#text) {
      this.#head = JSON.parse(text)
      this.#text = text
    }
    return this.#head as H
  }
}
