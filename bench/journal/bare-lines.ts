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
export function writeBareLines(path: string, { callers, transitions }: Walk): number {
  const groups = Math.floor(transitions / callers)
  const file = openSync(path, 'w')
  try {
    const start = performance.now()
    for (let group = 0; group < groups; group++) {
      const first = group * callers + 1
      const place = `,"batch":[${first},${callers},`
      let text = ''
      for (let caller = 0; caller < callers; caller++) {
        const line = JSON.stringify(bareLine(first + caller, caller, group)).slice(0, -1)
        text += `${withChecksum(`${line}${place}${caller}]`)}\n`
      }
      writeSync(file, text)
      fdatasyncSync(file)
    }
    return perSecond(groups * callers, performance.now() - start)
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

/** The same bytes, made beforehand: append and `fdatasync`, group by group; answers lines per second. */
export function writeRawBytes(path: string, { callers, transitions }: Walk, bytesPerLine: number): number {
  const groups = Math.floor(transitions / callers)
  const bytes = Buffer.alloc(Math.round(callers * bytesPerLine), 'x')
  const file = openSync(path, 'w')
  try {
    const start = performance.now()
    for (let group = 0; group < groups; group++) {
      writeSync(file, bytes)
      fdatasyncSync(file)
    }
    return perSecond(groups * callers, performance.now() - start)
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

export function perSecond(count: number, ms: number): number {
  return (count / ms) * 1000
}
