// Runs one benchmark in a process of its own, so that none inherits the heap, the compiled code and the caches of the
// ones before it: `run-benchmark.ts <name> <folder> <quick|full>`.
import { mkdirSync } from 'node:fs'
import { POSTGRES_BENCHMARKS, SQLITE_BENCHMARKS } from '../engines/benchmarks.ts'
import { HTTP_BENCHMARKS } from '../http/benchmarks.ts'
import { JOB_BENCHMARKS } from '../jobs/benchmarks.ts'
import { JOURNAL_BENCHMARKS } from '../journal/benchmarks.ts'
import { PAGE_BENCHMARKS } from '../page/benchmarks.ts'
import type { BenchMessage } from './bench.ts'

const [name, folder, size] = process.argv.slice(2)
const benchmark = [
  ...JOURNAL_BENCHMARKS,
  ...JOB_BENCHMARKS,
  ...HTTP_BENCHMARKS,
  ...PAGE_BENCHMARKS,
  ...SQLITE_BENCHMARKS,
  ...POSTGRES_BENCHMARKS,
].find((one) => one.name === name)
if (benchmark === undefined || folder === undefined) throw new Error('npm run bench:… starts this')
const gone = () => process.exit(1)
// Whoever shows the results is gone, and so is the reason to go on.
process.on('disconnect', gone)

mkdirSync(folder, { recursive: true })
const rows = await benchmark.run({
  isQuick: size === 'quick',
  folder,
  engine: 'journal',
  progress: (doing, part) => tell({ doing, part: part ?? null }),
})
tell({ rows })
process.off('disconnect', gone)
process.disconnect?.()

function tell(message: BenchMessage): void {
  process.send?.(message)
}
