import { type Ledger, openLedger } from 'waybill'
import { Latencies, type Row, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'
import { settledId, settledLedger } from './settled-ledger.ts'

const TARGET = { atMost: 2 }

const ROUNDS = 3
/** Few enough that most of them are the first in their part of the snapshot, and read an index page as well. */
const FIRST_READS = 200
const READS = 20_000
const QUICK_READS = 5_000

interface Reads {
  readonly first: Latencies
  readonly there: Latencies
  readonly absent: Latencies
}

/** Reading documents by random ids, one after the other: right after opening, later, and ids that are not there. */
export async function pointRead(bench: Bench): Promise<readonly Row[]> {
  const settled = bench.isQuick ? 1_000_000 : 10_000_000
  const folder = await settledLedger(bench, { settled, open: 0 })
  const rounds: Reads[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await readsOf(folder, settled, bench.isQuick ? QUICK_READS : READS))
    bench.progress('reading', (round + 1) / ROUNDS)
  }
  const at = (which: keyof Reads, part: number) => rounds.map((reads) => reads[which].percentile(part))
  return [
    rowOf('a settled document, p50', 'ms', at('there', 0.5)),
    rowOf('a settled document, p99', 'ms', at('there', 0.99), TARGET),
    rowOf('an id that is not there, p50', 'ms', at('absent', 0.5)),
    rowOf('an id that is not there, p99', 'ms', at('absent', 0.99), TARGET),
    rowOf(`the first ${FIRST_READS} after opening, p50`, 'ms', at('first', 0.5)),
    rowOf(`the first ${FIRST_READS} after opening, p99`, 'ms', at('first', 0.99)),
  ]
}

async function readsOf(folder: string, settled: number, reads: number): Promise<Reads> {
  await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
  const number = () => Math.floor(Math.random() * settled)
  const there = () => settledId(number())
  const first = await read(ledger, FIRST_READS, there, true)
  // Not counted: until the index pages of all parts are in memory.
  await read(ledger, reads, there, true)
  return {
    first,
    there: await read(ledger, reads, there, true),
    // Between two ids that are there, so that nobody can tell from the range.
    absent: await read(ledger, reads, () => `${settledId(number())}x`, false),
  }
}

async function read(ledger: Ledger, reads: number, idOf: () => string, isThere: boolean): Promise<Latencies> {
  const latencies = new Latencies()
  for (let i = 0; i < reads; i++) {
    const id = idOf()
    const start = performance.now()
    const document = await ledger.documents.get(id)
    latencies.add(performance.now() - start)
    if ((document?.doc_id === id) !== isThere) throw new Error(`${id} was answered wrongly`)
  }
  return latencies
}
