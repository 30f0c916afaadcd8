import { inTurns, type Row, ratios, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { builtPackage } from './built-package.ts'
import { openInChild } from './open-in-child.ts'
import { compactedLedger, walkedLedger } from './walked-ledger.ts'

/** Opening a ledger from its snapshot, against doing again everything that led there. */
export async function snapshotStart(bench: Bench): Promise<readonly Row[]> {
  const transitions = bench.isQuick ? 200_000 : 1_000_000
  const walked = await walkedLedger(bench, transitions)
  const compacted = await compactedLedger(bench, transitions)
  bench.progress('building the package')
  const built = await builtPackage()
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      snapshot: async () => (await openInChild(built, compacted)).openMs,
      replay: async () => (await openInChild(built, walked)).openMs,
    },
    (part) => bench.progress('opening', part),
  )
  return [
    rowOf('open from the snapshot', 'ms', said.snapshot),
    rowOf(`open by replaying ${transitions.toLocaleString('en')} transitions`, 'ms', said.replay),
    rowOf('snapshot ÷ replay', '×', ratios(said.snapshot, said.replay), { atMost: 0.05 }),
  ]
}
