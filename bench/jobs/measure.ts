// One measurement in a process of its own, for compare.ts: source folder, workload, number of jobs. Says jobs per
// second, and µs of processor time per job.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NO_SNAPSHOTS } from '../journal/no-snapshots.ts'
import { BENCH_OPTIONS } from './fresh-ledger.ts'
import { WORKLOADS } from './workloads.ts'

const [, , source = '', name = '', jobs = '20000'] = process.argv
const library = pathToFileURL(join(source, 'src/index.ts')).href
const { openLedger } = (await import(library)) as typeof import('waybill')
if (!Object.hasOwn(WORKLOADS, name)) throw new Error(`there is no workload ${name}`)

/** The first one is for the compiler to see what there is. */
let ms = 0
let cpu = 0
for (const count of [Math.ceil(Number(jobs) / 4), Number(jobs)]) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-jobs-'))
  try {
    await using ledger = await openLedger(join(folder, 'ledger'), { ...BENCH_OPTIONS, journal: NO_SNAPSHOTS })
    const before = process.cpuUsage()
    ms = await WORKLOADS[name as keyof typeof WORKLOADS](ledger, count)
    const { user, system } = process.cpuUsage(before)
    cpu = (user + system) / count
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(Math.round((Number(jobs) / ms) * 1000), Math.round(cpu))
