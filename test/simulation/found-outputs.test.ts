import { describe, expect, it } from 'vitest'
import { DiskFull } from '../../src/errors/journal-errors.ts'
import { Outputs } from '../../src/ledger/outputs.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'

const LARGE = { text: 'x'.repeat(100) }
const LIMIT_BYTES = 10

describe('large outputs', () => {
  // A result that came twice, as callbacks do, was written by two at once under one unfinished name: the second emptied
  // what the first was about to name, and found it gone when it was done itself.
  it('can be the same twice at once', async () => {
    const disk = new CrashDisk()
    const outputs = new Outputs(disk, '/outputs', LIMIT_BYTES)
    const [first, second] = await Promise.all([outputs.keep(LARGE), outputs.keep(LARGE)])
    expect(second).toEqual(first)
    expect(first && (await outputs.read(first))).toEqual(LARGE)
  })

  // The files were synced and their names as well, but not the name of the folder that was made for them: after a power
  // failure a step had succeeded, and what it came to was gone with the folder.
  it('are there after a power failure, also the first one', async () => {
    const disk = new CrashDisk()
    const kept = await new Outputs(disk, '/outputs', LIMIT_BYTES).keep(LARGE)
    for (let seed = 1; seed <= 20; seed++) {
      const after = new Outputs(disk.afterCrash(new SeededRandom(seed)), '/outputs', LIMIT_BYTES)
      expect(kept && (await after.read(kept))).toEqual(LARGE)
    }
  })

  // A worker waits for room when a result cannot be written, and knows a full disk by its code. For large outputs it got
  // the system's own error instead, and gave the result up: the work was done again when its lease had run out.
  it('say so when there is no room for them', async () => {
    const disk = new CrashDisk({ faults: ({ op }) => (op === 'write' ? 'ENOSPC' : null) })
    const outputs = new Outputs(disk, '/outputs', LIMIT_BYTES)
    await expect(outputs.keep(LARGE)).rejects.toThrow(DiskFull)
  })
})
