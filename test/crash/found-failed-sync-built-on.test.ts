// FOUND BY THE SIMULATION. The story: a batch is written, and cannot be synced. Its writer says so and never writes again, and
// is started anew. The system still shows what was written, and takes it for written: a sync that failed is not made up for by
// the next one. The new process read the batch, synced the file, was told that all is well, and built on it. Then the power
// went, the batch was not there, and with it was gone what the new process had acknowledged after it.
import { expect, it } from 'vitest'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { Life } from './life.ts'

const SEEDS = 40
const journal = { snapshotSchedule: null }

it('a batch that could not be synced is written once more by whoever builds on it', async () => {
  let tried = 0
  for (let seed = 0; seed < SEEDS; seed++) {
    let written = 0
    const faults = ({ op }: { readonly op: string }) =>
      op === 'writeThrough' && ++written === 2 ? 'EIO' : null
    const first = new Life({ disk: new CrashDisk({ faults, seed }), journal })
    await first.open()
    await first.do(moveDocument('a', 'fetching'))
    await expect(first.do(moveDocument('b', 'fetching'))).rejects.toMatchObject({ code: 'WRITER_FAILED' })
    const disk = first.disk.afterKill()
    const second = new Life({ disk, journal, nth: 2 })
    await second.open()
    const found = (await second.store.find({ kind: 'document' })).items.map(({ doc_id }) => doc_id)
    if (found.includes('b')) tried++
    await second.do(moveDocument('c', 'fetching'))
    for (let luck = 0; luck < SEEDS; luck++) {
      const third = new Life({ disk: disk.afterCrash(new SeededRandom(luck)), journal, nth: 3 })
      await third.open()
      const { items } = await third.store.find({ kind: 'document' })
      expect(items.map(({ doc_id }) => doc_id)).toEqual([...found, 'c'])
      await third.close()
    }
  }
  expect(tried).toBeGreaterThan(0)
})
