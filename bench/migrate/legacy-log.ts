import { closeSync, openSync, writeSync } from 'node:fs'

/** The way of a document in the old log; the last edge is not a declared one. */
const STATES = [
  'auto_inflight',
  'pdf_downloaded',
  'mineru_inflight',
  'ir_written',
  'postpdf_started',
  'auto_done',
] as const

/** So many documents are under way at once. */
const AT_ONCE = 1000

const LINES_AT_ONCE = 10_000
const FIRST_MS = Date.UTC(2024, 0, 1)
const BETWEEN_LINES_MS = 20

/** Writes a log as the old ingestion did: six lines for each document, a thousand documents under way. */
export function writeLegacyLog(path: string, lines: number): void {
  const file = openSync(path, 'w')
  try {
    for (let first = 0; first < lines; first += LINES_AT_ONCE) {
      const count = Math.min(LINES_AT_ONCE, lines - first)
      writeSync(file, Array.from({ length: count }, (_, n) => `${legacyLine(first + n)}\n`).join(''))
    }
  } finally {
    closeSync(file)
  }
}

function legacyLine(n: number): string {
  const round = Math.floor(n / (AT_ONCE * STATES.length))
  const step = Math.floor(n / AT_ONCE) % STATES.length
  const document = round * AT_ONCE + (n % AT_ONCE)
  const version = (Math.imul(document, 0x9e3779b1) >>> 0).toString(16).padStart(12, '0')
  return JSON.stringify({
    doc_id: `pubmed:${document}#1:${version}`,
    state: STATES[step],
    timestamp: new Date(FIRST_MS + n * BETWEEN_LINES_MS).toISOString().replace('Z', '+00:00'),
    metadata: { source: 'pubmed' },
  })
}
