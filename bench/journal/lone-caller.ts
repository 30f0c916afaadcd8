import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type LedgerState, openLedger } from 'waybill'
import { withChecksum } from '../../src/store/journal/lines/checksum.ts'
import { inTurns, Latencies, type Row, ratios, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { bareLine } from './bare-lines.ts'
import { ADAPTER, WALK, walkedDocument } from './document-walk.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'

/** How much longer than a bare append a commit may take. */
const TARGET = { atMost: 1.2 }

const COMMITS_PER_ROUND = 100

/** What one caller waits for a commit when nobody shares it, against a bare append of as many bytes. */
export async function loneCaller(bench: Bench): Promise<readonly Row[]> {
  const rounds = bench.isQuick ? 9 : 41
  const appended = openSync(join(bench.folder, 'appended'), 'w')
  const overwritten = openSync(join(bench.folder, 'overwritten'), 'w')
  await using ledger = await openLedger(join(bench.folder, 'ledger'), { journal: NO_SNAPSHOTS })
  const line = sampleLine()
  writeSync(overwritten, '\n'.repeat((rounds + 1) * COMMITS_PER_ROUND * line.length))
  fdatasyncSync(overwritten)
  const pools = { commit: new Latencies(), append: new Latencies(), overwrite: new Latencies() }
  let nth = 0
  let at = 0
  const said = await inTurns(
    rounds,
    {
      commit: () =>
        someOf(pools.commit, () => {
          const state = WALK[nth % WALK.length] as LedgerState
          return ledger.documents.updateState(walkedDocument(0, nth++), state, { adapter: ADAPTER })
        }),
      append: () =>
        someOf(pools.append, () => {
          writeSync(appended, line)
          fdatasyncSync(appended)
        }),
      overwrite: () =>
        someOf(pools.overwrite, () => {
          at += writeSync(overwritten, line, 0, line.length, at)
          fdatasyncSync(overwritten)
        }),
    },
    (part) => {
      // What the first round was: a warm-up.
      if (part === 0) for (const pool of Object.values(pools)) pool.clear()
      bench.progress('one caller', part)
    },
  )
  closeSync(appended)
  closeSync(overwritten)
  const p99 = { commit: pools.commit.percentile(0.99), append: pools.append.percentile(0.99) }
  return [
    rowOf('commit, median', 'ms', said.commit),
    rowOf('commit, p99', 'ms', [p99.commit]),
    rowOf('bare append and fdatasync, median', 'ms', said.append),
    rowOf('bare append and fdatasync, p99', 'ms', [p99.append]),
    rowOf('commit ÷ bare append, median', '×', ratios(said.commit, said.append), TARGET),
    rowOf('commit ÷ bare append, p99', '×', [p99.commit / p99.append], TARGET),
    rowOf(
      'commit ÷ bare overwrite in a file made beforehand, median',
      '×',
      ratios(said.commit, said.overwrite),
    ),
  ]
}

/** The median of some, one after the other. */
async function someOf(pool: Latencies, act: () => unknown): Promise<number> {
  const round = new Latencies()
  for (let i = 0; i < COMMITS_PER_ROUND; i++) {
    const start = performance.now()
    const acting = act()
    // What is synchronous must not pay for a turn of promises.
    if (acting instanceof Promise) await acting
    const ms = performance.now() - start
    round.add(ms)
    pool.add(ms)
  }
  return round.percentile(0.5)
}

function sampleLine(): Buffer {
  const start = JSON.stringify(bareLine(1, 0, 1)).slice(0, -1)
  return Buffer.from(`${withChecksum(`${start},"batch":[1,1,0]`)}\n`)
}
