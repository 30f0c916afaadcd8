import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DocumentRecord } from 'waybill'
import { toIso } from '../../src/core/time.ts'
import { snapshotName } from '../../src/store/journal/file-names.ts'
import { Snapshot } from '../../src/store/journal/snapshot/snapshot.ts'
import type { SnapshotFacts } from '../../src/store/journal/snapshot/snapshot-index.ts'
import type { Found } from '../../src/store/journal/snapshot/tables.ts'
import { writeSnapshot } from '../../src/store/journal/snapshot/write-snapshot.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import type { Bench } from '../suite/bench.ts'
import { keptLedger } from './bench-data.ts'

export interface Documents {
  readonly settled: number
  readonly open: number
}

/**
 * A snapshot is written from everything that is new in it at once, sorted in memory: ten million documents would
 * take 8 GB. A ledger has grown that large little by little, and so does this one.
 */
const SETTLED_AT_ONCE = 2_000_000

const START_MS = Date.UTC(2025, 0, 2)
const ADAPTERS = ['pubmed', 'arxiv', 'clinicaltrials'] as const

/** A ledger that is nothing but a snapshot. */
export function settledLedger(bench: Bench, { settled, open }: Documents): Promise<string> {
  return keptLedger(`settled-${settled}${open === 0 ? '-open-0' : `-unsettled-${open}`}`, async (folder) => {
    const name = `writing ${(settled + open).toLocaleString('en')} documents`
    let base: string | null = null
    for (let from = 0; base === null || from < settled; from += SETTLED_AT_ONCE) {
      const to = Math.min(settled, from + SETTLED_AT_ONCE)
      const path: string = await writeGeneration(folder, base, { from, to, open }, (part) =>
        bench.progress(name, settled === 0 ? part : (from + part * (to - from)) / settled),
      )
      if (base !== null) rmSync(base)
      base = path
    }
  })
}

/** Settled documents by number; random access to them is the same whatever their ids look like. */
export function settledId(number: number): string {
  return `doc:${String(number).padStart(9, '0')}`
}

interface Generation {
  readonly from: number
  readonly to: number
  readonly open: number
}

async function writeGeneration(
  folder: string,
  basePath: string | null,
  { from, to, open }: Generation,
  onProgress: (part: number) => void,
): Promise<string> {
  const seq = to + open
  const created_at = toIso(START_MS + seq)
  const path = join(folder, snapshotName(created_at, seq))
  const base = basePath === null ? null : await Snapshot.open(nodeDisk, basePath)
  try {
    await writeSnapshot({
      disk: nodeDisk,
      path,
      base,
      facts: factsOf(created_at, to, open),
      records: { states: documents({ from, to, open }) },
      onProgress: ({ done, total }) => onProgress(done / total),
    })
  } finally {
    await base?.close()
  }
  return path
}

function factsOf(created_at: string, settled: number, open: number): SnapshotFacts {
  const tally = { tenant_id: 'default', kind: 'document' }
  return {
    created_at,
    seq: settled + open,
    timestamp: (START_MS + settled + open) / 1000,
    document_count: settled + open,
    audit_records: settled + open,
    counts: [
      { ...tally, state: 'completed', n: settled },
      { ...tally, state: 'parsed', n: open },
    ],
    signals: [],
  }
}

function* documents({ from, to, open }: Generation): Generator<Found<'states'>> {
  for (let number = from; number < to; number++) yield given(settledId(number), number, 'completed')
  for (let number = 0; number < open; number++) yield given(`open:${settledId(number)}`, number, 'parsed')
}

function given(id: string, number: number, state: DocumentRecord['state']): Found<'states'> {
  const value: DocumentRecord = {
    kind: 'document',
    tenant_id: 'default',
    doc_id: id,
    state,
    updated_at: (START_MS + number) / 1000,
    adapter: ADAPTERS[number % ADAPTERS.length] as string,
    metadata: { pages: (number * 7919) % 1009 },
    retry_count: 0,
    max_retries: 3,
    error_type: null,
    error_message: null,
    etag: String(number + 1),
  }
  // As a compaction does: documents are read when they are asked for.
  return { tenant_id: 'default', id, value }
}
