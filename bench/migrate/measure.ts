// One measurement in a process of its own, so that its memory is its own: `measure.ts <what> <log> <target>`. Says what it
// found as JSON.
import { openSync, readSync } from 'node:fs'
import { migrateLegacy } from 'waybill'

export interface Measured {
  readonly lines: number
  readonly seconds: number
  /** Until everything is durable, without the snapshot at the end. */
  readonly streamSeconds: number
  /** What the process had of the processor until then, all threads together. */
  readonly streamCpuSeconds: number
  readonly rssMb: number
}

const [what, log, target] = process.argv.slice(2) as ['parse' | 'output' | 'ledger', string, string]
const start = performance.now()
const cpu = process.cpuUsage()
let streamed = { seconds: 0, cpu: 0 }
const lines = what === 'parse' ? parseLines(log) : await migrate(what)
if (what === 'parse') streamed = now()
const { maxRSS } = process.resourceUsage()
const measured: Measured = {
  lines,
  seconds: now().seconds,
  streamSeconds: streamed.seconds,
  streamCpuSeconds: streamed.cpu,
  rssMb: maxRSS / 1024,
}
process.stdout.write(JSON.stringify(measured))

function now(): { readonly seconds: number; readonly cpu: number } {
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 }
}

async function migrate(into: 'output' | 'ledger'): Promise<number> {
  const report = await migrateLegacy(log, {
    [into]: target,
    onProgress: ({ what: unit, done, total }) => {
      if (unit === 'bytes' && done === total) streamed = now()
    },
  })
  if (!report.agrees || report.migrated !== report.lines) throw new Error(JSON.stringify(report))
  return report.lines
}

/** The limit: nobody who reads these lines can be faster than this. */
function parseLines(path: string): number {
  const file = openSync(path, 'r')
  const chunk = Buffer.alloc(1024 * 1024)
  let rest = ''
  let count = 0
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
    const texts = (rest + chunk.toString('latin1', 0, read)).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) if (JSON.parse(text) !== null) count++
  }
  return count
}
