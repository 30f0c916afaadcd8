import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ledger, type LedgerState, openLedger } from 'waybill'
import { Latencies, type Row, ratios, rowOf, timed } from '../harness.ts'
import type { Bench } from './bench.ts'
import { ADAPTER, WALK } from './document-walk.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'
import { settledId, settledLedger } from './settled-ledger.ts'

const CALLERS = 100
const OPEN_DOCUMENTS = 1000

/** How long is measured without a compaction, each time. */
const QUIET_MS = 3000

interface Phase {
  readonly commits: Latencies
  readonly ms: number
}

/** What callers wait for their commits while everything is compacted, against while nothing is. */
export async function compactionStall(bench: Bench): Promise<readonly Row[]> {
  const settled = bench.isQuick ? 200_000 : 1_000_000
  const folder = join(bench.folder, 'ledger')
  cpSync(await settledLedger(bench, { settled, open: OPEN_DOCUMENTS }), folder, { recursive: true })
  await using ledger = await openLedger(folder, { journal: NO_SNAPSHOTS })
  const crowd = new Crowd(ledger, settled)
  const rounds = bench.isQuick ? 3 : 5
  // Warms up, and gives the first compaction something to do.
  await crowd.during(() => sleep(QUIET_MS))
  const quiet: Phase[] = []
  const busy: Phase[] = []
  for (let round = 0; round < rounds; round++) {
    quiet.push(await crowd.during(() => sleep(QUIET_MS)))
    busy.push(await crowd.during(() => ledger.compact()))
    bench.progress(`compacting ${settled.toLocaleString('en')} records under load`, (round + 1) / rounds)
  }
  await crowd.leave()
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
