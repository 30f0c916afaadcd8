import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Ledger, openLedger } from 'waybill'
import { NO_SNAPSHOTS } from '../journal/no-snapshots.ts'
import type { Bench } from '../suite/bench.ts'
import { ONE_STEP, THREE_STEPS } from './requests.ts'

/** Lets something have an empty ledger in a folder, and removes it afterwards. */
export async function withFreshLedger<T>({ folder }: Bench, use: (ledger: Ledger) => Promise<T>): Promise<T> {
  const path = join(folder, 'ledger')
  const ledger = await openLedger(path, {
    journal: NO_SNAPSHOTS,
    inFlightLimit: Number.MAX_SAFE_INTEGER,
    protocols: [ONE_STEP, THREE_STEPS],
  })
  try {
    return await use(ledger)
  } finally {
    await ledger.close()
    rmSync(path, { recursive: true })
  }
}
