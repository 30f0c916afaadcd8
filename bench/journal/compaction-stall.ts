import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ledger, type LedgerState, openLedger } from 'waybill'
import { Latencies, type Row, ratios, rowOf, timed } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { ADAPTER, WALK } from './document-walk.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'
import { settledId, settledLedger } from './settled-ledger.ts'

const CALLERS = 100
const OPEN_DOCUMENTS = 1000

/** How long is measured without a compaction, each time. It also gives the compaction something to do. */
const QUIET_MS = 3000
const QUICK_QUIET_MS = 1000

interface Phase {
  readonly commits: Latencies
  readonly ms: number
}

/** What callers wait for their commits while everything is compacted, against while nothing is. */
export async function compactionStall(bench: Bench): Promise<readonly Row[]> {
  const settled = bench.isQuick ? 200_000 : 1_000_000
  const made = await settledLedger(bench, { settled, open: OPEN_DOCUMENTS })
  const said = { quiet: [] as Phase[], busy: [] as Phase[] }
  const rounds = bench.isQuick ? 3 : 5
  // The first only warms up.
  for (let round = 0; round <= rounds; round++) {
    const { quiet, busy } = await compactOnce(bench, made, settled)
    if (round > 0) said.quiet.push(quiet)
    if (round > 0) said.busy.push(busy)
    bench.progress(`compacting ${settled.toLocaleString('en')} records under load`, round / rounds)
  }
  const { quiet, busy } = said
  const p99 = (phases: readonly Phase[]) => phases.map(({ commits }) => commits.percentile(0.99))
  const longest = (phases: readonly Phase[]) => phases.map(({ commits }) => commits.percentile(1))
  return [
    rowOf('commit p99 while compacting', 'ms', p99(busy)),
    rowOf('commit p99 without', 'ms', p99(quiet)),
    rowOf('commit p99, while compacting ÷ without', '×', ratios(p99(busy), p99(quiet)), { atMost: 3 }),
    rowOf('longest commit while compacting', 'ms', longest(busy)),
    rowOf('longest commit without', 'ms', longest(quiet)),
    rowOf(
      'a compaction takes',
      's',
      busy.map(({ ms }) => ms / 1000),
    ),
    rowOf('commits while compacting', '/s', busy.map(speedOf)),
    rowOf('commits without', '/s', quiet.map(speedOf)),
  ]
}

/** In a fresh copy every time: what is written during a compaction would make the next one longer, and so on. */
async function compactOnce(
  bench: Bench,
  made: string,
  settled: number,
): Promise<{ quiet: Phase; busy: Phase }> {
  const folder = join(bench.folder, 'ledger')
  cpSync(made, folder, { recursive: true })
  try {
    await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
    const crowd = new Crowd(ledger, settled)
    const quiet = await crowd.during(() => sleep(bench.isQuick ? QUICK_QUIET_MS : QUIET_MS))
    const busy = await crowd.during(() => ledger.compact())
    await crowd.leave()
    return { quiet, busy }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function speedOf({ commits, ms }: Phase): number {
  return (commits.count / ms) * 1000
}

/** Callers that never pause. Their documents lie everywhere among the settled ones: no block is spared a change. */
class Crowd {
  readonly #ledger: Ledger
  readonly #settled: number
  readonly #walking: Promise<unknown>
  #commits = new Latencies()
  #isLeaving = false

  constructor(ledger: Ledger, settled: number) {
    this.#ledger = ledger
    this.#settled = settled
    this.#walking = Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.#walk(caller)))
  }

  /** The commits that were answered while something was going on. */
  async during(work: () => Promise<unknown>): Promise<Phase> {
    const commits = new Latencies()
    this.#commits = commits
    // A caller that fails ends everything: it would not be missed otherwise.
    const ms = await timed(() => Promise.race([work(), this.#walking]))
    this.#commits = new Latencies()
    return { commits, ms }
  }

  async leave(): Promise<void> {
    this.#isLeaving = true
    await this.#walking
  }

  async #walk(caller: number): Promise<void> {
    for (let nth = 0; !this.#isLeaving; nth++) {
      const near = settledId(Math.floor(Math.random() * this.#settled))
      for (const state of WALK as readonly LedgerState[]) {
        const start = performance.now()
        await this.#ledger.documents.updateState(`${near}:${caller}:${nth}`, state, { adapter: ADAPTER })
        this.#commits.add(performance.now() - start)
      }
    }
  }
}
