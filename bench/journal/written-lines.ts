import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface WrittenLines {
  readonly linesPerGroup: number
  readonly bytesPerLine: number
  /** The fields of the first and the second line of the first document, in their order. */
  readonly fields: readonly string[]
}

/** What a ledger that was closed has in its newest delta, so that the bare contenders write the same. */
export function writtenLines(folder: string): WrittenLines {
  const delta = readdirSync(folder)
    .filter((name) => name.startsWith('delta-'))
    .at(-1)
  if (delta === undefined) throw new Error(`there is no delta in ${folder}`)
  const text = readFileSync(join(folder, delta), 'latin1')
  // Not the header, and not the line that says that it was closed.
  const lines = text
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('{') && !line.includes('"closed"'))
  const groups = lines.filter((line) => line.includes(',0],"crc":')).length
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0)
  return {
    linesPerGroup: lines.length / groups,
    bytesPerLine: bytes / lines.length,
    fields: Object.keys(JSON.parse(lines[0] ?? '{}') as object),
  }
}
