import { BETWEEN_LINES } from './record-line.ts'

// JSON has no newlines inside its strings: what follows one is a key, and a key ends with its quote.

const NEWLINE = Buffer.from('\n')

/** The text of the value that has this key, without looking at any other; null when there is none. */
export function valueInBlock(block: Buffer, key: string): string | null {
  const name = Buffer.from(`${key}:`)
  const start = lineBeginningWith(block, name)
  return start === -1 ? null : block.toString('utf8', start + name.length, endOfLine(block, start))
}

/** The lines whose keys begin like one of these, quote and all. They follow each other. */
export function* linesInBlock(block: Buffer, beginnings: readonly string[]): Generator<string> {
  const names = beginnings.map((beginning) => Buffer.from(beginning))
  const isOneOfThem = (start: number) => names.some((name) => beginsWith(block, start, name))
  let start = -1
  for (const name of names) if (start === -1) start = lineBeginningWith(block, name)
  // Those that begin like another one may come before it.
  while (start > 0 && isOneOfThem(lineBefore(block, start))) start = lineBefore(block, start)
  while (start !== -1 && isOneOfThem(start)) {
    const end = endOfLine(block, start)
    yield block.toString('utf8', start, end)
    start = end + BETWEEN_LINES.length
  }
}

/** -1 when there is none. */
function lineBeginningWith(block: Buffer, name: Buffer): number {
  if (beginsWith(block, 0, name)) return 0
  const found = block.indexOf(Buffer.concat([NEWLINE, name]))
  return found === -1 ? -1 : found + NEWLINE.length
}

function lineBefore(block: Buffer, start: number): number {
  return block.lastIndexOf(NEWLINE, start - NEWLINE.length - 1) + NEWLINE.length
}

function endOfLine(block: Buffer, start: number): number {
  const end = block.indexOf(BETWEEN_LINES, start)
  return end === -1 ? block.length : end
}

function beginsWith(block: Buffer, start: number, name: Buffer): boolean {
  return block.subarray(start, start + name.length).equals(name)
}
