import type { JsonObject } from '../../../core/json.ts'
import { withChecksum } from './checksum.ts'
import { withDifferences } from './like.ts'
import type { Line } from './line.ts'

/** As it stands in a delta: whole, or as what is different from one before it in its batch. */
export type WrittenLine = Line & { readonly like?: number | undefined; readonly crc?: string }

/** The lines of one batch, one after the other: each as a whole, whatever it says itself. */
export class BatchLines {
  readonly #whole = new Map<number, Line>()

  /** The line, or what is wrong with it. */
  add(line: WrittenLine): Line | string {
    if (line.like === undefined) {
      this.#whole.set(line.seq, line)
      return line
    }
    const model = this.#whole.get(line.like)
    return model === undefined
      ? `it is like line ${line.like}, which is not before it in its batch`
      : likeLine(model, line)
  }
}

/** Its place in the log, in its commit and in its batch is its own. */
export function likeLine(model: Line, different: WrittenLine): Line {
  const shared = { ...model, commit: undefined, batch: undefined, crc: undefined }
  const { batch, ...own } = { ...different, like: undefined, crc: undefined }
  const line = withDifferences(shared as unknown as JsonObject, own as unknown as JsonObject)
  return { ...line, batch } as unknown as Line
}

/** A line as it would stand in a delta if it were said as a whole. */
export function wholeText(line: Line): string {
  return withChecksum(JSON.stringify(line).slice(0, -1))
}
