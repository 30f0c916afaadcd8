import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { toIso } from '../../src/core/time.ts'
import { AUDIT_FOLDER, snapshotName } from '../../src/store/journal/file-names.ts'
import { withChecksum } from '../../src/store/journal/lines/checksum.ts'
import type { SegmentLink } from '../../src/store/journal/segments/layout.ts'
import { sealSegment } from '../../src/store/journal/segments/seal-segment.ts'
import { writeSnapshot } from '../../src/store/journal/snapshot/write-snapshot.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import type { Bench } from '../suite/bench.ts'
import { keptLedger } from './bench-data.ts'
import { WALK } from './document-walk.ts'

/** What the usual 64 MiB of delta hold, and so what compaction makes a segment of. */
const LINES_PER_SEGMENT = 150_000

/** One in so many records has the rare error: far apart, which is the hardest for whoever looks for them. */
export const RARE_EVERY = 100_000
export const RARE_ERROR = 'LicenceRevoked'

const USUAL_ERRORS = ['TimeoutError', 'ParseError', 'SchemaError', 'FetchError'] as const
const USUAL_ERROR_EVERY = 150

/** Documents that are on their way at the same time. */
const ON_THE_WAY = 1000
const START_MS = Date.UTC(2025, 0, 2)

/** A ledger with a long sealed history. Its snapshot has no documents: nobody asks for them here. */
export function historyLedger(bench: Bench, records: number): Promise<string> {
  return keptLedger(`history-${records}`, async (folder) => {
    const audit = join(folder, AUDIT_FOLDER)
    mkdirSync(audit)
    let previous: SegmentLink | null = null
    for (let firstSeq = 1; firstSeq <= records; firstSeq += LINES_PER_SEGMENT) {
      const lastSeq = Math.min(records, firstSeq + LINES_PER_SEGMENT - 1)
      const lines = linesOf(firstSeq, lastSeq)
      previous = await sealSegment(nodeDisk, { folder: audit, firstSeq, lastSeq, lines, previous })
      bench.progress(`sealing ${records.toLocaleString('en')} audit records`, lastSeq / records)
    }
    await writeEmptySnapshot(folder, records)
  })
}

async function writeEmptySnapshot(folder: string, seq: number): Promise<void> {
  const created_at = toIso(START_MS + seq)
  await writeSnapshot({
    disk: nodeDisk,
    path: join(folder, snapshotName(created_at, seq)),
    base: null,
    facts: {
      created_at,
      seq,
      timestamp: (START_MS + seq) / 1000,
      document_count: 0,
      audit_records: seq,
      counts: [],
      signals: [],
    },
    records: {},
  })
}

function* linesOf(firstSeq: number, lastSeq: number): Generator<string> {
  for (let seq = firstSeq; seq <= lastSeq; seq++) yield withChecksum(JSON.stringify(lineOf(seq)).slice(0, -1))
}

/** Documents move in turns, each along the whole way; those that fail stop where they are. */
function lineOf(seq: number): object {
  const lane = seq % ON_THE_WAY
  const nth = Math.floor(seq / ON_THE_WAY)
  const step = nth % WALK.length
  const error_type = errorOf(seq)
  return {
    seq,
    doc_id: `doc:${lane}:${Math.floor(nth / WALK.length)}`,
    old_state: step === 0 ? 'pending' : WALK[step - 1],
    new_state: error_type === null ? WALK[step] : 'failed',
    timestamp: (START_MS + seq) / 1000,
    adapter: ['pubmed', 'arxiv', 'clinicaltrials'][lane % 3],
    error_type,
    error_message: error_type === null ? null : `${error_type} at seq ${seq}`,
    traceback: null,
    retry_count: 0,
    max_retries: 3,
    duration_seconds: step === 0 ? null : 1,
    metadata: {},
    event: 'moved',
    kind: 'document',
    tenant_id: 'default',
    actor: 'local',
    reason: null,
    batch: [seq, 1, 0],
  }
}

function errorOf(seq: number): string | null {
  if (seq % RARE_EVERY === RARE_EVERY / 2) return RARE_ERROR
  if (seq % USUAL_ERROR_EVERY !== 0) return null
  return USUAL_ERRORS[(seq / USUAL_ERROR_EVERY) % USUAL_ERRORS.length] as string
}
