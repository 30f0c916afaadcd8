import { InvalidInput } from '../../errors/input-errors.ts'
import { inputChunks } from './input-chunks.ts'

export interface InputLine {
  /** The first is 1. */
  readonly line: number
  readonly text: string
}

/** Longest line, and largest text that is read as a whole. */
const LARGEST_BYTES = 16 * 1024 * 1024

const NEWLINE = 0x0a

/** Lines as they come, the empty ones too; what is behind the last line break counts when there is something. */
export async function* inputLines(path: string): AsyncGenerator<InputLine> {
  let line = 1
  let parts: Uint8Array[] = []
  let bytes = 0
  const add = (part: Uint8Array) => {
    bytes += part.length
    if (bytes > LARGEST_BYTES) throw tooLarge(path, `line ${line}`)
    parts.push(part)
  }
  const take = (): InputLine => {
    const text = Buffer.concat(parts).toString().replace(/\r$/, '')
    parts = []
    bytes = 0
    return { line: line++, text }
  }
  for await (const chunk of inputChunks(path)) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end))
      yield take()
      from = end + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
  if (bytes > 0) yield take()
}

/** All of it at once, where it has to be understood as a whole. */
export async function inputText(path: string): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of inputChunks(path)) {
    bytes += chunk.length
    if (bytes > LARGEST_BYTES) throw tooLarge(path, 'it')
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString()
}

function tooLarge(path: string, what: string): InvalidInput {
  const name = path === '-' ? 'The standard input' : path
  const next = 'Keep large things elsewhere, and give where they are as --input.'
  return new InvalidInput('file', `${name}: ${what} is larger than ${LARGEST_BYTES} bytes`, next)
}
