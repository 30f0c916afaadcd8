import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Ledger } from 'waybill'
import { inTurns, type Row, ratios, rowOf, timed } from '../harness.ts'
import { perSecond } from '../journal/bare-lines.ts'
import type { Bench } from '../suite/bench.ts'
import { withFreshLedger } from './fresh-ledger.ts'
import { ONE_STEP, requestOf } from './requests.ts'

const CALLERS = 100

/** Commands in one batch. */
const BULK = 1000

/** About as many bytes as a submit takes in the journal. */
const BYTES_PER_SUBMIT = 1024

/** Durable submits per second: one caller, many, and in bulk; beside what the disk does with one write at a time. */
export async function submits(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 5000 : 30_000
  const few = Math.ceil(jobs / 20)
  const run = (count: number, act: (ledger: Ledger, count: number) => Promise<void>) => () =>
    withFreshLedger(bench, async (ledger) => perSecond(count, await timed(() => act(ledger, count))))
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      raw: () => rawSyncs(join(bench.folder, 'raw'), few),
      alone: run(few, oneAtATime),
      crowd: run(jobs, submitAll),
      bulk: run(jobs, inBulk),
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

async function oneAtATime(ledger: Ledger, count: number): Promise<void> {
  for (let number = 0; number < count; number++) await ledger.jobs.submit(requestOf(number, ONE_STEP))
}

/** With many callers, each of whom waits for an answer before the next. */
export async function submitAll(ledger: Ledger, count: number, protocol = ONE_STEP): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < count) await ledger.jobs.submit(requestOf(next++, protocol))
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

async function inBulk(ledger: Ledger, count: number): Promise<void> {
  for (let from = 0; from < count; from += BULK) {
    const numbers = Array.from({ length: Math.min(BULK, count - from) }, (_, nth) => from + nth)
    await ledger.batch((make) => numbers.map((number) => make.submit(requestOf(number, ONE_STEP))))
  }
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
