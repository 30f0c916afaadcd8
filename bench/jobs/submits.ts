import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { inTurns, type Row, ratios, rowOf } from '../harness.ts'
import { perSecond } from '../journal/bare-lines.ts'
import type { Bench } from '../suite/bench.ts'
import { speedOf } from './fresh-ledger.ts'
import { BULK, CALLERS, WORKLOADS } from './workloads.ts'

/** About as many bytes as a submit takes in the journal. */
const BYTES_PER_SUBMIT = 1024

/** Durable submits per second: one caller, many, and in bulk; beside what the disk does with one write at a time. */
export async function submits(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 5000 : 30_000
  const few = Math.ceil(jobs / 20)
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      raw: () => rawSyncs(join(bench.folder, 'raw'), few),
      alone: () => speedOf(bench, WORKLOADS.alone, few),
      crowd: () => speedOf(bench, WORKLOADS.crowd, jobs),
      bulk: () => speedOf(bench, WORKLOADS.bulk, jobs),
    },
    (part) => bench.progress('submitting', part),
  )
  return [
    rowOf('one caller, one at a time', '/s', said.alone),
    rowOf('append and fdatasync as often', '/s', said.raw),
    rowOf('one caller ÷ append and fdatasync', '×', ratios(said.alone, said.raw)),
    rowOf(`${CALLERS} callers`, '/s', said.crowd),
    rowOf(`in batches of ${BULK}`, '/s', said.bulk),
  ]
}

function rawSyncs(path: string, count: number): number {
  const bytes = Buffer.alloc(BYTES_PER_SUBMIT, 'x')
  const file = openSync(path, 'w')
  try {
    const start = performance.now()
    for (let nth = 0; nth < count; nth++) {
      writeSync(file, bytes)
      fdatasyncSync(file)
    }
    return perSecond(count, performance.now() - start)
  } finally {
    closeSync(file)
  }
}
