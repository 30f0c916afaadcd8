import { isAscii, isUtf8 } from 'node:buffer'
import {
  type LegacyFinding,
  type LineForm,
  type PastTransition,
  type ReadLine,
  readLegacyLine,
} from '../../core/document/legacy-line.ts'
import type { JsonObject } from '../../core/json.ts'
import { endOf, type LineBlock, LONGEST_LINE_BYTES, linesOf, startOf } from './line-blocks.ts'

/** What a line turned out to be. */
export type PreparedLine = TransitionLine | RejectedLine | BlankLine

export interface TransitionLine extends Place {
  readonly is: 'transition'
  readonly past: PastTransition
  readonly findings: readonly LegacyFinding[]
  readonly form: LineForm
}

export interface RejectedLine extends Place {
  readonly is: 'rejected'
  readonly problem: string
  /** Whoever wrote it may not have been done. */
  readonly isTorn: boolean
}

interface BlankLine extends Place {
  readonly is: 'blank'
}

interface Place {
  /** From 1. */
  readonly line: number
  /** Where in the block its content begins and ends. */
  readonly start: number
  readonly end: number
}

export interface PreparedBlock {
  readonly block: LineBlock
  readonly lines: readonly PreparedLine[]
}

/** What the line rules cannot know by themselves: what came before. */
export class LinePreparer {
  readonly #redact: (text: string) => string
  /** The time of the line before; null when no line had one. */
  #lastAt: number | null = null

  /** Secrets in error texts are not to reach the history. */
  constructor(redact: (text: string) => string = (text) => text) {
    this.#redact = redact
  }

  prepare(block: LineBlock): PreparedBlock {
    const lines: PreparedLine[] = []
    const timeless: ReadLine[] = []
    const decode = decoderOf(block.bytes)
    const last = linesOf(block) - 1
    for (let index = 0; index <= last; index++) {
      const line = block.firstLine + index
      const start = startOf(block, index)
      const end = endOf(block, index)
      const isOpen = block.isOpen && index === last
      const text = block.tooLong === null ? decode(start, end) : null
      if (text !== null) lines.push(this.#prepareText(text, { line, start, end }, isOpen, timeless))
      else lines.push({ is: 'rejected', line, start, end, problem: unreadable(block), isTorn: isOpen })
    }
    // Lines before the first that has a time have its time, if it is near.
    for (const read of timeless) read.at = this.#lastAt ?? 0
    return { block, lines }
  }

  #prepareText(text: string, place: Place, isOpen: boolean, timeless: ReadLine[]): PreparedLine {
    const { line, start, end } = place
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      if (text.trim() === '') return { is: 'blank', line, start, end }
      const problem = isOpen ? 'it is cut off' : 'it is not JSON'
      return { is: 'rejected', line, start, end, problem, isTorn: isOpen }
    }
    const reading = readLegacyLine(value, text)
    if ('problem' in reading)
      return { is: 'rejected', line, start, end, problem: reading.problem, isTorn: false }
    const { read, findings, form } = reading
    const past = this.#redacted(read)
    if (past.at !== null) this.#lastAt = past.at
    else if (this.#lastAt !== null) past.at = this.#lastAt
    else timeless.push(past)
    return { is: 'transition', line, start, end, past: past as PastTransition, findings, form }
  }

  /** Where old code has put what was thrown, that is where secrets are. */
  #redacted(read: ReadLine): ReadLine {
    const { error_message, traceback, metadata, brings } = read
    if (error_message === null && traceback === null) return read
    const clean = this.#redactFields(metadata)
    return {
      ...read,
      error_message: error_message === null ? null : this.#redact(error_message),
      traceback: traceback === null ? null : this.#redact(traceback),
      metadata: clean,
      brings: brings === metadata ? clean : this.#redactFields(brings),
    }
  }

  #redactFields(metadata: JsonObject): JsonObject {
    let clean = metadata
    for (const name of ERROR_FIELDS) {
      const text = metadata[name]
      if (typeof text === 'string') clean = { ...clean, [name]: this.#redact(text) }
    }
    return clean
  }
}

function unreadable({ tooLong }: LineBlock): string {
  if (tooLong === null) return 'it is not UTF-8'
  return `it has ${tooLong.bytes} bytes, and ${LONGEST_LINE_BYTES} are the most`
}

const ERROR_FIELDS = ['error', 'error_message', 'traceback'] as const

type Decode = (start: number, end: number) => string | null

/** Null for what is not UTF-8. Most logs are ASCII, and then there is nothing to check line by line. */
function decoderOf(bytes: Buffer): Decode {
  if (isAscii(bytes)) {
    // As a whole: to cut a string costs less than to make one, and here a place in one is a place in the other.
    const text = bytes.toString('latin1')
    return (start, end) => text.slice(start, end)
  }
  if (isUtf8(bytes)) return (start, end) => bytes.toString('utf8', start, end)
  return (start, end) => (isUtf8(bytes.subarray(start, end)) ? bytes.toString('utf8', start, end) : null)
}
