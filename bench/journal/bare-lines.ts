// The least that lines like the journal's can cost: no ledger, no rules, no promises, nothing but the calls that any
// program has to make that wants them durable.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { withChecksum } from '../../src/store/journal/lines/checksum.ts'
import { ADAPTER, WALK, type Walk, walkedDocument } from './document-walk.ts'

const START_MS = Date.UTC(2025, 0, 2)

/** About as many lines have the same time as in a ledger: writing out a number again that was just written is cheaper. */
const LINES_PER_MS = 100
const MOST_MS_IN_STATE = 50

/** A line as the journal writes it, except for its place in the batch and its checksum. */
export function bareLine(seq: number, caller: number, nth: number): object {
  const step = nth % WALK.length
  const line = {
    seq,
    doc_id: walkedDocument(caller, nth),
    old_state: step === 0 ? 'pending' : WALK[step - 1],
    new_state: WALK[step],
    timestamp: (START_MS + Math.floor(seq / LINES_PER_MS)) / 1000,
    adapter: ADAPTER,
    error_type: null,
    error_message: null,
    traceback: null,
    retry_count: 0,
    max_retries: 3,
    duration_seconds: step === 0 ? null : ((caller + nth) % MOST_MS_IN_STATE) / 1000,
    metadata: {},
    event: 'moved',
    kind: 'document',
    tenant_id: 'default',
    actor: 'local',
    reason: null,
  }
  return step === 0 ? { ...line, created: true } : line
}

/** Stringify, checksum, append and `fdatasync`, group by group; answers lines per second. */
export function writeBareLines(path: string, { callers, transitions }: Walk, linesPerGroup: number): number {
  return writeGroups(path, transitions, linesPerGroup, (first, size) => {
    const place = `,"batch":[${first + 1},${size},`
    let text = ''
    for (let index = 0; index < size; index++) {
      const nth = first + index
      const line = bareLine(nth + 1, nth % callers, Math.floor(nth / callers))
      text += `${withChecksum(`${JSON.stringify(line).slice(0, -1)}${place}${index}]`)}\n`
    }
    return Buffer.from(text)
  })
}

/** As many bytes, made beforehand: append and `fdatasync`, group by group; answers lines per second. */
export function writeRawBytes(
  path: string,
  { transitions }: Walk,
  { linesPerGroup, bytesPerLine }: { readonly linesPerGroup: number; readonly bytesPerLine: number },
): number {
  const bytes = Buffer.alloc(Math.round(linesPerGroup * bytesPerLine), 'x')
  return writeGroups(path, transitions, linesPerGroup, () => bytes)
}

function writeGroups(
  path: string,
  lines: number,
  linesPerGroup: number,
  bytesOf: (first: number, size: number) => Buffer,
): number {
  const file = openSync(path, 'w')
  try {
    const start = performance.now()
    for (let first = 0; first < lines; first += linesPerGroup) {
      writeSync(file, bytesOf(first, Math.min(linesPerGroup, lines - first)))
      fdatasyncSync(file)
    }
    return perSecond(lines, performance.now() - start)
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

export function perSecond(count: number, ms: number): number {
  return (count / ms) * 1000
}
