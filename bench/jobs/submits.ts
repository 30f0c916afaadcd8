import { RAW_NAMES, rawCommits } from '../engines/raw-commits.ts'
import { inTurns, type Row, ratios, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { speedOf } from './fresh-ledger.ts'
import { BULK, CALLERS, WORKLOADS } from './workloads.ts'

/** Durable submits per second: one caller, many, and in bulk; beside what the disk or the database does with one write at a time. */
export async function submits(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 5000 : 30_000
  const few = Math.ceil(jobs / 20)
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      raw: () => rawCommits(bench.engine, bench.folder, few),
      alone: () => speedOf(bench, WORKLOADS.alone, few),
      crowd: () => speedOf(bench, WORKLOADS.crowd, jobs),
      bulk: () => speedOf(bench, WORKLOADS.bulk, jobs),
    },
    (part) => bench.progress('submitting', part),
  )
  return [
    rowOf('one caller, one at a time', '/s', said.alone),
    rowOf(RAW_NAMES[bench.engine], '/s', said.raw),
    rowOf(`one caller ÷ ${RAW_NAMES[bench.engine]}`, '×', ratios(said.alone, said.raw)),
    rowOf(`${CALLERS} callers`, '/s', said.crowd),
    rowOf(`in batches of ${BULK}`, '/s', said.bulk),
  ]
}
