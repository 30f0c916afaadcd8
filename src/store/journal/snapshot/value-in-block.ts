import { BETWEEN_LINES } from './record-line.ts'

const LINE_START = '\n'

/** The text of the value that has this key, without looking at any other; null when there is none. */
export function valueInBlock(block: Buffer, key: string): string | null {
  // JSON has no newlines inside its strings: what follows one is a key, and a key ends with its quote.
  const needle = Buffer.from(`${LINE_START}${key}:`)
  const isFirst = block.subarray(0, needle.length - 1).equals(needle.subarray(1))
  const found = isFirst ? -1 : block.indexOf(needle)
  if (!isFirst && found === -1) return null
  const start = found + needle.length
  const end = block.indexOf(BETWEEN_LINES, start)
  return block.toString('utf8', start, end === -1 ? block.length : end)
}
