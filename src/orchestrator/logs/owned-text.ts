import type { ReadFile } from '../../world/file-system.ts'
import type { Range } from './log-sections.ts'

/** Parts of a file as one text, whose places count from its own beginning. It only ever grows at its end. */
export class OwnedText {
  readonly #file: ReadFile
  readonly #ranges: readonly Range[]
  readonly size: number

  constructor(file: ReadFile, ranges: readonly Range[]) {
    this.#file = file
    this.#ranges = ranges
    this.size = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  }

  async read(from: number, to: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let before = 0
    for (const range of this.#ranges) {
      const length = range.to - range.from
      const start = Math.max(from - before, 0)
      const end = Math.min(to - before, length)
      if (start < end) parts.push(await this.#file.read(range.from + start, end - start))
      before += length
    }
    return Buffer.concat(parts)
  }
}
