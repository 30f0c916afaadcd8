import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Ledger, openLedger } from 'waybill'
import { perSecond } from '../journal/bare-lines.ts'
import { NO_SNAPSHOTS } from '../journal/no-snapshots.ts'
import type { Bench } from '../suite/bench.ts'
import { ONE_STEP, THREE_STEPS } from './requests.ts'
import type { Workload } from './workloads.ts'

export const BENCH_OPTIONS = {
  journal: NO_SNAPSHOTS,
  inFlightLimit: Number.MAX_SAFE_INTEGER,
  protocols: [ONE_STEP, THREE_STEPS],
} as const

/** Lets something have an empty ledger in a folder, and removes it afterwards. */
export async function withFreshLedger<T>(
  { folder }: Pick<Bench, 'folder'>,
  use: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const path = join(folder, 'ledger')
  const ledger = await openLedger(path, BENCH_OPTIONS)
  try {
    return await use(ledger)
  } finally {
    await ledger.close()
    rmSync(path, { recursive: true })
  }
}

/** Jobs per second. */
export function speedOf(bench: Pick<Bench, 'folder'>, workload: Workload, jobs: number): Promise<number> {
  return withFreshLedger(bench, async (ledger) => perSecond(jobs, await workload(ledger, jobs)))
}
