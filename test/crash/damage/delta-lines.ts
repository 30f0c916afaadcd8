/** A line of a delta: where it is, and of which batch. */
export interface DeltaLine {
  /** From 1. */
  readonly number: number
  readonly at: number
  /** Behind its newline. */
  readonly end: number
  readonly seq: number
  /** Which batch of the file it is of, from 1; 0 is the header. */
  readonly batch: number
}

/** The lines of a delta that is whole. */
export function deltaLines(bytes: Buffer): readonly DeltaLine[] {
  const lines: DeltaLine[] = []
  let at = 0
  let batch = 0
  for (const text of bytes.toString('utf8').split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as { seq: number; batch?: readonly [number, number, number] }
    if (line.batch?.[2] === 0) batch++
    const end = at + Buffer.byteLength(text) + 1
    lines.push({ number: lines.length + 1, at, end, seq: line.seq, batch })
    at = end
  }
  return lines
}

export function lineAt(lines: readonly DeltaLine[], byte: number): DeltaLine {
  return lines.find(({ end }) => byte < end) as DeltaLine
}
