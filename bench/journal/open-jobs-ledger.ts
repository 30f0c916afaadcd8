import { openLedger } from 'waybill'
import { ONE_STEP, requestOf } from '../jobs/requests.ts'
import type { Bench } from '../suite/bench.ts'
import { keptLedger } from './bench-data.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'

const CALLERS = 100

/** A ledger with many jobs that wait for a worker, and a snapshot of them. */
export function openJobsLedger(bench: Bench, jobs: number): Promise<string> {
  return keptLedger(`open-jobs-${jobs}`, async (folder) => {
    const ledger = await openLedger(folder, { journal: NO_SNAPSHOTS, inFlightLimit: jobs })
    ledger.jobs.register(ONE_STEP)
    for (let from = 0; from < jobs; from += CALLERS) {
      const numbers = Array.from({ length: Math.min(CALLERS, jobs - from) }, (_, n) => from + n)
      await Promise.all(numbers.map((number) => ledger.jobs.submit(requestOf(number, ONE_STEP))))
      bench.progress(`submitting ${jobs.toLocaleString('en')} jobs`, from / jobs)
    }
    await ledger.compact()
    await ledger.close()
  })
}
