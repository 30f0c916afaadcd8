// Whose each part of a log file is. It only ever grows, so that what was looked through once need not be again.
import type { ReadFile } from '../../world/file-system.ts'
import { LOG_MARK, LONGEST_MARK_LINE } from '../process/log-mark.ts'

/** A part of a file; from is included, to is not. */
export interface Range {
  readonly from: number
  readonly to: number
}

interface Section {
  /** Where the line with the mark begins. */
  readonly at: number
  readonly from: number
  /** Empty for a line that begins like one and is none: nobody's. */
  readonly mark: string
}

const PIECE_BYTES = 256 * 1024

/** Beyond this nothing is looked for: no job prints so much, and no file has so many attempts. */
const MOST_LOOKED_AT = 1024 * 1024 * 1024
const MOST_SECTIONS = 10_000

const MARKED_LINE = new RegExp(`^${LOG_MARK}([0-9a-f]{32})\n`)
const NEWLINE = '\n'

export class LogSections {
  readonly #sections: Section[] = []
  #lookedAt = 0
  /** Where a line begins that may become one of ours, and is not all there yet. */
  #cutAt: number | null = null
  #looking: Promise<unknown> = Promise.resolve()

  /** Of the job with this mark, in order. One looks at a time. */
  async rangesOf(mark: string, file: ReadFile): Promise<readonly Range[]> {
    const looked = this.#looking.then(() => this.#look(file))
    this.#looking = looked.catch(() => {})
    await looked
    const end = this.#cutAt ?? this.#lookedAt
    return this.#sections.flatMap((section, index) => {
      const to = this.#sections[index + 1]?.at ?? end
      return section.mark === mark && to > section.from ? [{ from: section.from, to }] : []
    })
  }

  async #look(file: ReadFile): Promise<void> {
    const end = Math.min(file.size, MOST_LOOKED_AT)
    if (end < this.#lookedAt) this.#forget()
    while (this.#lookedAt < end && this.#sections.length < MOST_SECTIONS) {
      // A line may have been cut off where the last look ended; one more byte says whether it is the beginning of one.
      const from = Math.max(0, this.#lookedAt - LONGEST_MARK_LINE - 1)
      const bytes = await file.read(from, Math.min(PIECE_BYTES, end - from))
      this.#find(bytes.toString('latin1'), from)
      if (from + bytes.length <= this.#lookedAt) return
      this.#lookedAt = from + bytes.length
    }
  }

  /** It is shorter than it was: another file, or one that was emptied. */
  #forget(): void {
    this.#sections.length = 0
    this.#lookedAt = 0
    this.#cutAt = null
  }

  /** In text that has a character for each byte. */
  #find(text: string, offset: number): void {
    const lastLine = text.lastIndexOf(NEWLINE) + 1
    this.#cutAt = LOG_MARK.startsWith(text.slice(lastLine)) ? offset + lastLine : null
    const known = this.#sections.at(-1)?.at ?? -1
    for (let at = text.indexOf(LOG_MARK); at !== -1; at = text.indexOf(LOG_MARK, at + 1)) {
      const isLineStart = at === 0 ? offset === 0 : text[at - 1] === NEWLINE
      if (!isLineStart || offset + at <= known) continue
      const line = text.slice(at, at + LONGEST_MARK_LINE)
      const mark = MARKED_LINE.exec(line)?.[1] ?? ''
      if (line.length < LONGEST_MARK_LINE && !line.includes(NEWLINE)) this.#cutAt = offset + at
      else this.#sections.push({ at: offset + at, from: offset + at + LONGEST_MARK_LINE, mark })
    }
  }
}
