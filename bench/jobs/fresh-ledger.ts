import { type Ledger, openLedger } from 'waybill'
import { freshPlace } from '../engines/engine.ts'
import { perSecond } from '../journal/bare-lines.ts'
import type { Bench } from '../suite/bench.ts'
import { ONE_STEP, THREE_STEPS } from './requests.ts'
import type { Workload } from './workloads.ts'

export const BENCH_OPTIONS = {
  inFlightLimit: Number.MAX_SAFE_INTEGER,
  protocols: [ONE_STEP, THREE_STEPS],
} as const

/** Lets something have an empty ledger, and removes it afterwards. */
export async function withFreshLedger<T>(
  { folder, engine }: Pick<Bench, 'folder' | 'engine'>,
  use: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const place = await freshPlace(engine, folder)
  const ledger = await openLedger(place.url, { ...BENCH_OPTIONS, ...place.options })
  try {
    return await use(ledger)
  } finally {
    await ledger.close()
    await place.remove()
  }
}

/** Jobs per second. */
export function speedOf(
  bench: Pick<Bench, 'folder' | 'engine'>,
  workload: Workload,
  jobs: number,
): Promise<number> {
  return withFreshLedger(bench, async (ledger) => perSecond(jobs, await workload(ledger, jobs)))
}
