import { type Ledger, openLedger } from 'waybill'
import { Latencies, type Row, rowOf } from '../harness.ts'
import type { Bench } from './bench.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'
import { settledId, settledLedger } from './settled-ledger.ts'

const TARGET = { atMost: 2 }

const ROUNDS = 3
/** Few enough that most of them are the first in their part of the snapshot. */
const FIRST_READS = 200
const READS = 20_000

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
    rounds.push(await readsOf(folder, settled))
    bench.progress('reading', (round + 1) / ROUNDS)
  }
  const rows = (what: string, which: keyof Reads) => [
    rowOf(
      `${what}, p50`,
      'ms',
      rounds.map((reads) => reads[which].percentile(0.5)),
    ),
    rowOf(
      `${what}, p99`,
      'ms',
      rounds.map((reads) => reads[which].percentile(0.99)),
      TARGET,
    ),
  ]
  return [
    ...rows(`the first ${FIRST_READS} after opening`, 'first'),
    ...rows('a settled document', 'there'),
    ...rows('an id that is not there', 'absent'),
  ]
}

async function readsOf(folder: string, settled: number): Promise<Reads> {
  await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
  const number = () => Math.floor(Math.random() * settled)
  const there = () => settledId(number())
  const first = await read(ledger, FIRST_READS, there, true)
  // Not counted: until the index pages of all parts are in memory.
  await read(ledger, READS, there, true)
  return {
    first,
    there: await read(ledger, READS, there, true),
    // Between two ids that are there, so that nobody can tell from the range.
    absent: await read(ledger, READS, () => `${settledId(number())}x`, false),
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
