// FOUND BY KILLING REAL PROCESSES. The story: a snapshot begins by itself when a batch has become durable and enough was written.
// `between` is entered from inside `#succeed`, takes the file for itself, and then `#succeed` goes on and gives it back:
// the next batches are written into the old delta while the new one is being made, which is named after a seq that the old
// one has by then. When the ledger is opened again it is damaged: seqs 109 to 168 are in delta-1, and delta-109 begins
// with 169.
import { expect, it } from 'vitest'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { compareFiles } from './compare-ledger.ts'
import { ExpectedLedger } from './expected-ledger.ts'
import { FOLDER, Life } from './life.ts'

const journal = { snapshotSchedule: null, snapshotAfterBytes: 3000 }
const CALLERS = 5
const MOVES = 20

/** Callers that do not keep step, so that one batch fills while another is written. */
async function call(life: Life, caller: number): Promise<void> {
  for (let n = 0; n < MOVES; n++) {
    for (let turn = 0; turn < (caller * n) % 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    const state = n % 2 === 0 ? 'fetching' : 'fetched'
    await life.do(moveDocument(`caller-${caller}`, state, { validate: false, metadata: { n } }))
  }
}

it('makes snapshots by itself while others write, and is whole when it is opened again', async () => {
  const first = new Life({ disk: new CrashDisk(), journal, slowness: new SeededRandom(1) })
  await first.open()
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(first, caller)))
  const expected = new ExpectedLedger(first.witness.acknowledged())
  const disk = first.disk.afterKill()
  compareFiles(disk.files(), FOLDER, expected)
  const second = new Life({ disk, journal, nth: 2 })
  await second.open()
  expect(second.complaints).toEqual([])
  expect((await second.store.stats()).audit_records).toBe(CALLERS * MOVES)
  expect(await second.store.check()).toEqual([])
})
