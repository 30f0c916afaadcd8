import { join } from 'node:path'
import { openLedger } from 'waybill'
import { AUDIT_FOLDER } from '../../src/store/journal/file-names.ts'
import { auditHistory } from '../../src/store/journal/segments/history.ts'
import type { Segment } from '../../src/store/journal/segments/segment.ts'
import { openSegments } from '../../src/store/journal/segments/segment-chain.ts'
import { newMemberCache, SegmentReader } from '../../src/store/journal/segments/segment-reader.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { type Row, rowOf, timed } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { historyLedger, RARE_ERROR, RARE_EVERY } from './history-ledger.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'

const ROUNDS = 5

/** Finding all records with a rare error: how much of the history is read for it, and how long that takes. */
export async function auditQuery(bench: Bench): Promise<readonly Row[]> {
  const records = bench.isQuick ? 1_000_000 : 10_000_000
  const folder = await historyLedger(bench, records)
  const rare = records / RARE_EVERY
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    took.push(await queryAfterOpening(folder, rare))
    bench.progress('asking', (round + 1) / ROUNDS)
  }
  const segments = await openSegments(nodeDisk, join(folder, AUDIT_FOLDER))
  const { items } = await auditHistory(segments, { error_type: RARE_ERROR, limit: rare })
  if (items.length !== rare) throw new Error(`${items.length} of ${rare} were found`)
  const touched = segments.reduce((sum, { blocksRead }) => sum + blocksRead, 0)
  const blocks = await blocksIn(segments)
  return [
    rowOf(
      `blocks read for ${rare} of ${records.toLocaleString('en')} records`,
      '%',
      [(100 * touched) / blocks],
      {
        atMost: 5,
      },
    ),
    rowOf('blocks read', '', [touched]),
    rowOf('blocks there are', '', [blocks]),
    rowOf('time, first query after opening', 'ms', took),
  ]
}

async function queryAfterOpening(folder: string, rare: number): Promise<number> {
  await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
  let found = 0
  const ms = await timed(async () => {
    for await (const { error_type } of ledger.audit.records({ error_type: RARE_ERROR })) {
      if (error_type === RARE_ERROR) found++
    }
  })
  if (found !== rare) throw new Error(`${found} of ${rare} were found`)
  return ms
}

async function blocksIn(segments: readonly Segment[]): Promise<number> {
  let blocks = 0
  for (const segment of segments) {
    const { sha256 } = await segment.link()
    const reader = new SegmentReader(nodeDisk, segment.file.path, sha256, newMemberCache())
    for (const page of (await segment.index()).pages) blocks += (await reader.blocks(page)).length
    await reader.close()
  }
  return blocks
}
