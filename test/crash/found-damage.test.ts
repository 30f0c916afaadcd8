// FOUND BY THE TESTS OF DAMAGE. Each test opens with its story.
import { describe, expect, it } from 'vitest'
import { type RepairReport, repairJournal } from '../../src/store/journal/repair.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import type { CrashDisk } from '../../src/testing/crash-disk.ts'
import { flipped, JOURNAL, overwritten, smallLedger, truncated } from './damage/damaged-ledger.ts'
import { deltaLines } from './damage/delta-lines.ts'
import { FOLDER, Life } from './life.ts'

async function opened(disk: CrashDisk): Promise<Life> {
  const life = new Life({ disk, journal: JOURNAL, nth: 2 })
  await life.open()
  return life
}

async function repaired(disk: CrashDisk): Promise<{ readonly life: Life; readonly report: RepairReport }> {
  const life = new Life({ disk, journal: JOURNAL, nth: 2 })
  const report = await repairJournal(FOLDER, life.world)
  await life.open()
  return { life, report }
}

function linesOf(disk: CrashDisk, path: string) {
  return deltaLines(Buffer.from(disk.files().get(path) as Uint8Array))
}

// A ledger was closed in good order: its last line says so. Then the newline before that line changes. The line of the last
// change and the closing line are one bad line now, no good line follows it, and so it was taken for what a crash had cut
// off, and cut off: a change that had been acknowledged, with a warning that says that it never was.
it('does not cut off the last change of a closed ledger when the end of its line has changed', async () => {
  const { disk, deltaPath, written } = await smallLedger('closed')
  const closing = linesOf(disk, deltaPath).at(-1)
  const life = await opened(await flipped(disk, deltaPath, (closing?.at as number) - 1, 11))
  const { items } = await life.store.audit({ direction: 'desc', limit: 1 })
  const { damage } = (await life.store.stats()).storage ?? {}
  const isThere = items[0]?.id === 'moves' && items[0]?.new_state === 'parsing'
  expect({ written: written.length, isThere, isDamage: damage !== null }).not.toMatchObject({
    isThere: false,
    isDamage: false,
  })
})

// The same without the closing line: the newline between the last two batches.
it('does not cut off two batches when the end of the line between them has changed', async () => {
  const { disk, deltaPath } = await smallLedger('crashed')
  // Up to the fifth batch, which is one line after one line.
  const [fourth, fifth] = linesOf(disk, deltaPath).slice(6, 8)
  const shorter = await truncated(disk, deltaPath, fifth?.end as number)
  const life = await opened(await flipped(shorter, deltaPath, (fourth?.end as number) - 1, 11))
  const { damage } = (await life.store.stats()).storage ?? {}
  const seqs = (await auditAll(life.store)).map(({ seq }) => seq)
  expect({ isThere: seqs.includes(fourth?.seq as number), isDamage: damage !== null }).not.toEqual({
    isThere: false,
    isDamage: false,
  })
})

// The trailer or the index of a segment is damaged that is not the newest. `check` is there to say so, and threw.
it('has check say that an older segment cannot be read', async () => {
  const { disk, segments } = await smallLedger('crashed')
  const oldest = segments[0] as string
  const size = disk.files().get(oldest)?.length as number
  const life = await opened(await flipped(disk, oldest, size - 50, 1))
  const findings = await life.store.check()
  expect(findings.some(({ where }) => where.includes(oldest))).toBe(true)
})

// Every snapshot is bad, and so is a segment. At first the ledger says so; when it is read, it looks again from where it
// stopped, finds that seqs are missing before the delta, and says from then on that the delta is damaged, at line 1.
it('names the segment that is damaged, also after it was read', async () => {
  const { disk, segments, snapshots } = await smallLedger('crashed')
  let damaged = disk
  for (const snapshot of snapshots) damaged = await truncated(damaged, snapshot, 100)
  const life = await opened(await truncated(damaged, segments[1] as string, 1000))
  await life.store.find({ kind: 'document' })
  await life.store.find({ kind: 'document' })
  const { damage } = (await life.store.stats()).storage ?? {}
  expect(damage).toContain(segments[1])
})

// A damaged ledger that is read a hundred times logs three hundred times that it is damaged.
it('says once that it is damaged, and not again with every read', async () => {
  const { disk, deltaPath } = await smallLedger('crashed')
  const life = await opened(await flipped(disk, deltaPath, 500, 1))
  for (let n = 0; n < 20; n++) await life.store.find({ kind: 'document' })
  expect(life.complaints.length).toBeLessThanOrEqual(2)
})

describe('a repair', () => {
  // A batch has become blank lines. What is reported is the first line after the gap, which is good; the repair takes
  // that for the damaged one and drops its batch too.
  it('keeps the batch after one that is missing', async () => {
    const { disk, deltaPath } = await smallLedger('crashed')
    const [, missing, next] = linesOf(disk, deltaPath)
    const { at, end, seq } = missing as NonNullable<typeof missing>
    const { life, report } = await repaired(
      await overwritten(disk, deltaPath, at, Buffer.alloc(end - at, '\n')),
    )
    const seqs = (await auditAll(life.store)).map((record) => record.seq)
    expect(seqs).toContain(next?.seq)
    expect(report.lost).toEqual([[seq, seq]])
  })

  // The last but one is missing. Nothing follows that would say how much is lost, and the report says: nothing.
  it('says what is lost at the end', async () => {
    const { disk, deltaPath } = await smallLedger('crashed')
    const lines = linesOf(disk, deltaPath)
    const [missing] = lines.slice(-3)
    const { at, end, seq } = missing as NonNullable<typeof missing>
    const { life, report } = await repaired(
      await overwritten(disk, deltaPath, at, Buffer.alloc(end - at, '\n')),
    )
    const seqs = (await auditAll(life.store)).map((record) => record.seq)
    const lost = report.lost.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, n) => first + n),
    )
    expect(lost).toContain(seq)
    const told = lines.slice(1).map((line) => line.seq)
    expect(told.filter((one) => !seqs.includes(one) && !lost.includes(one))).toEqual([])
  })

  // The line that made a document is lost, a later one that moved it is not. The document is there again, by the later
  // one; but it is counted out of a state in which nobody had counted it.
  it('counts right when what made a document is lost', async () => {
    const { disk, deltaPath } = await smallLedger('crashed')
    const [, created] = linesOf(disk, deltaPath)
    const { life } = await repaired(await flipped(disk, deltaPath, (created?.at as number) + 5, 1))
    expect(await life.store.check()).toEqual([])
  })

  // A segment is damaged. The repair does not touch sealed history and finds nothing to do; and no snapshot can be made
  // any more, because making one looks at the newest segment, and afterwards at the oldest.
  it.each([0, 1])('lets snapshots be made although segment %i is damaged', async (nth) => {
    const { disk, segments } = await smallLedger('crashed')
    const { life } = await repaired(await truncated(disk, segments[nth] as string, 1000))
    expect(await life.store.maintain()).toMatchObject({ compacted: true })
  })

  // Every snapshot is bad, and so is a segment: the repair gives up, and the ledger can never be written to again.
  it('makes it writable when neither snapshots nor history are whole', async () => {
    const { disk, segments, snapshots } = await smallLedger('crashed')
    let damaged = disk
    for (const snapshot of snapshots) damaged = await truncated(damaged, snapshot, 100)
    const { life, report } = await repaired(await truncated(damaged, segments[1] as string, 200))
    expect((await life.store.stats()).storage?.damage).toBeNull()
    expect(report.lost).not.toEqual([])
  })
})
