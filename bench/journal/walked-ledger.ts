import { cpSync } from 'node:fs'
import { openLedger } from 'waybill'
import type { Bench } from '../suite/bench.ts'
import { keptLedger } from './bench-data.ts'
import { walkDocuments } from './document-walk.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'

const CALLERS = 1000

/** A ledger in which documents were moved so many times: all of it in its delta, and nothing else. */
export function walkedLedger(bench: Bench, transitions: number): Promise<string> {
  return keptLedger(`walked-${transitions}`, async (folder) => {
    bench.progress(`writing ${transitions.toLocaleString('en')} transitions`)
    await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
    await walkDocuments(ledger, { callers: CALLERS, transitions })
  })
}

/** The same ledger with a snapshot of it all. */
export async function compactedLedger(bench: Bench, transitions: number): Promise<string> {
  const walked = await walkedLedger(bench, transitions)
  return keptLedger(`compacted-${transitions}`, async (folder) => {
    bench.progress(`compacting ${transitions.toLocaleString('en')} transitions`)
    cpSync(walked, folder, { recursive: true })
    await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
    await ledger.compact()
  })
}
