// FOUND BY THE CRASH TESTS. The story: there is no room for a batch, but the system shows all of it for a moment. Its callers were
// told that nothing was written, and only then was it taken back. The process was killed in between, and the next one found it.
import { expect, it } from 'vitest'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import type { DiskOperation } from '../../src/testing/crash/operation.ts'
import { CrashDisk, type CrashDiskOptions } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { Life } from './life.ts'

const SEEDS = 40
const journal = { snapshotSchedule: null }

/** What the caller of a change was told that there was no room for, and the disk. */
async function full(
  options: CrashDiskOptions,
): Promise<{ readonly told: unknown; readonly disk: CrashDisk }> {
  let written = 0
  const faults = ({ op }: DiskOperation) => (op === 'writeThrough' && ++written === 2 ? 'ENOSPC' : null)
  const disk = new CrashDisk({ ...options, faults })
  const life = new Life({ disk, journal, slowness: new SeededRandom(options.seed ?? 1) })
  await life.open()
  await life.do(moveDocument('a', 'fetching'))
  const told = await life
    .act(moveDocument('b', 'fetching'))
    .catch((error: { readonly code?: string }) => error)
  // By now it is taken back, if the power lasts.
  await life.act(moveDocument('c', 'fetching')).catch(() => {})
  return { told: (told as { readonly code?: string }).code, disk }
}

it('whoever is told that there was no room does not find it after a crash', async () => {
  const { told, disk } = await full({})
  expect(told).toBe('DISK_FULL')
  const takenBack = disk.operations.find(({ op, path }) => op === 'truncate' && path.endsWith('.jsonl'))
  let shown = 0
  for (let seed = 0; seed < SEEDS; seed++) {
    const cut = await full({ seed, crashAt: (takenBack as DiskOperation).n })
    const next = new Life({ disk: cut.disk.afterKill(), journal, nth: 2 })
    await next.open()
    const { items } = await next.store.find({ kind: 'document' })
    if (items.some(({ doc_id }) => doc_id === 'b')) {
      shown++
      expect(cut.told).not.toBe('DISK_FULL')
    }
  }
  expect(shown).toBeGreaterThan(0)
})
