// One measurement in a process of its own: source folder, workload, number of jobs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, type Speed, WORKLOADS } from './workloads.ts'

const [, , source = '', name = '', jobs = '20000', engine = 'journal'] = process.argv
const { openLedger } = (await import(
  pathToFileURL(join(source, 'src/index.ts')).href
)) as typeof import('waybill')
const workload = WORKLOADS[name]
if (workload === undefined) throw new Error(`there is no workload ${name}`)

/** The first one is for the compiler to see what there is. */
const said: Speed[] = []
for (const count of [Math.ceil(Number(jobs) / 4), Number(jobs)]) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-jobs-'))
  try {
    await using ledger = await openLedger(engine === 'memory' ? 'memory:' : join(folder, 'ledger'), {
      inFlightLimit: Number.MAX_SAFE_INTEGER,
      ...(engine === 'memory'
        ? null
        : { journal: { snapshotSchedule: null, snapshotAfterBytes: Number.MAX_SAFE_INTEGER } }),
    })
    prepare(ledger)
    said.push(await workload(ledger, count))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const { perSecond, cpuMicros } = said.at(-1) as Speed
console.log(`${Math.round(perSecond)} ${cpuMicros.toFixed(1)}`)
