import { inTurns, type Row, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { speedOf } from './fresh-ledger.ts'
import { WORKLOADS } from './workloads.ts'

/** Jobs per second that a worker does whose handlers do nothing: submitted beforehand, and while they are submitted. */
export async function throughput(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 4000 : 20_000
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      drain: () => speedOf(bench, WORKLOADS.drain, jobs),
      both: () => speedOf(bench, WORKLOADS.both, jobs),
      steps: () => speedOf(bench, WORKLOADS.steps, Math.ceil(jobs / 3)),
    },
    (part) => bench.progress('working', part),
  )
  return [
    rowOf('one step, submitted beforehand', '/s', said.drain),
    rowOf('one step, while they are submitted', '/s', said.both),
    rowOf('three steps, while they are submitted', '/s', said.steps),
  ]
}
