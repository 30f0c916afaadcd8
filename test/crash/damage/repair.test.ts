import { describe, expect, it } from 'vitest'
import { repairJournal } from '../../../src/store/journal/repair.ts'
import { moveDocument } from '../../../src/testing/conformance/commands.ts'
import { auditAll } from '../../../src/testing/conformance/reading.ts'
import type { CrashDisk } from '../../../src/testing/crash-disk.ts'
import { FOLDER, Life } from '../life.ts'
import { readLedger } from '../naive-reader.ts'
import { filesOf, flipped, JOURNAL, smallLedger, truncated } from './damaged-ledger.ts'
import { type DeltaLine, deltaLines } from './delta-lines.ts'

/** The batch that submits a job, and the one that claims it: without the first the second means nothing. */
const SUBMITS = 3
const CLAIMS = 5

describe('repairing a delta', async () => {
  const { disk, deltaPath } = await smallLedger('closed')
  const lines = deltaLines(Buffer.from(disk.files().get(deltaPath) as Uint8Array))
  const batches = lines.at(-1)?.batch as number
  const damageable = lines.filter(({ batch }) => batch < batches)

  it.each(damageable)('loses nothing but what was in line $number', async (line) => {
    for (const byte of [line.at, Math.floor((line.at + line.end) / 2), line.end - 2]) {
      const damaged = await flipped(disk, deltaPath, byte, 1)
      const before = filesOf(damaged)
      const report = await repair(damaged)
      expect(report.lost).toEqual(rangesOf(lines, lostWith(line.batch)))
      expect(report.repaired.length).toBeGreaterThan(0)
      const kept = report.kept.map((path) => filesOf(damaged).get(path))
      expect(kept[0]).toBe(before.get(deltaPath))
      await mustBeWritable(damaged, lines, lostWith(line.batch))
    }
  })
})

describe('repairing snapshots', async () => {
  const { disk, snapshots } = await smallLedger('closed')

  it('sets those aside that are bad, and keeps them', async () => {
    const [older, newest] = snapshots as readonly [string, string]
    const damaged = await flipped(await truncated(disk, newest, 1000), older, 20, 1)
    const before = filesOf(damaged)
    const report = await repair(damaged)
    expect(report.lost).toEqual([])
    for (const path of [older, newest]) {
      expect(report.kept).toContain(`${path}.damaged`)
      expect(filesOf(damaged).get(`${path}.damaged`)).toBe(before.get(path))
      expect(filesOf(damaged).has(path)).toBe(false)
    }
    await mustBeWritable(damaged, [], [])
  })

  it('puts them back when the ledger cannot be built without them', async () => {
    const [older, newest] = snapshots as readonly [string, string]
    const damaged = await flipped(await flipped(disk, newest, 20, 1), older, 20, 1)
    for (const path of damaged.files().keys()) if (path.includes('/audit/')) await damaged.remove(path)
    const before = filesOf(damaged)
    await expect(repair(damaged)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' })
    for (const path of [older, newest]) expect(filesOf(damaged).get(path)).toBe(before.get(path))
  })

  it('leaves a ledger alone that is sound', async () => {
    const sound = disk.afterKill()
    const before = filesOf(sound)
    expect(await repair(sound)).toEqual({ repaired: [], kept: [], lost: [] })
    expect(filesOf(sound)).toEqual(before)
  })
})

async function repair(disk: CrashDisk) {
  const { world } = new Life({ disk, journal: JOURNAL, nth: 2 })
  return await repairJournal(FOLDER, world)
}

/** Batches that are lost when this one is damaged. The header can be made again. */
function lostWith(batch: number): readonly number[] {
  if (batch === 0) return []
  return batch === SUBMITS ? [SUBMITS, CLAIMS] : [batch]
}

function rangesOf(lines: readonly DeltaLine[], lost: readonly number[]): readonly [number, number][] {
  return lost.map((batch) => {
    const first = lines.find((line) => line.batch === batch)?.seq as number
    const next = lines.find((line) => line.batch === batch + 1)?.seq as number
    return [first, next - 1]
  })
}

async function mustBeWritable(
  disk: CrashDisk,
  lines: readonly DeltaLine[],
  lost: readonly number[],
): Promise<void> {
  const life = new Life({ disk, journal: JOURNAL, nth: 3 })
  await life.open()
  expect(life.complaints).toEqual([])
  expect(await life.store.check()).toEqual([])
  const seqs = (await auditAll(life.store)).map(({ seq }) => seq)
  expect(seqs).toEqual(readLedger(disk.files(), FOLDER).history.map(({ seq }) => seq))
  const kept = lines.filter(({ batch }) => batch > 0 && !lost.includes(batch)).slice(0, -1)
  for (const { seq } of kept) expect(seqs).toContain(seq)
  await life.do(moveDocument('afterwards', 'fetching'))
  await life.maintain()
  await life.reopen()
  expect(await life.store.check()).toEqual([])
  await life.close()
}
