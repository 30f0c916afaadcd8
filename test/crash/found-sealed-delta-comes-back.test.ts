// FOUND BY THE CRASH TESTS. The story: several deltas are sealed at once, and removed. Then their segments are retired, since
// no history is kept. The removal of the segments is synced, that of the deltas was not. The power goes, and of the
// deltas the first is there again and the second is not. The snapshot has everything, so the ledger opens; but the first
// delta is taken to go as far as the next one that is there, the history has a hole, and no snapshot can be made any
// more: "seq 2 should come here, and seq 4 does". The same came of deltas that could not be removed, or that were sealed
// by a run that failed then: the next run forgot them, and retired their segments.
import { expect, it } from 'vitest'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import type { DiskOperation } from '../../src/testing/crash/operation.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { FOLDER, Life } from './life.ts'
import { readLedger } from './naive-reader.ts'

const SEEDS = 40
const AUDIT = `${FOLDER}/audit`
const keepsAll = { snapshotSchedule: null, keepSnapshots: 1 }
const keepsNone = { ...keepsAll, keepHistoryMs: 0 }

type IsIt = (operation: DiskOperation) => boolean

const beginsSegment: IsIt = ({ op, path }) => op === 'create' && path.startsWith(`${AUDIT}/`)
const removesDelta: IsIt = ({ op, path }) => op === 'remove' && path.startsWith(`${FOLDER}/delta-`)
const namesSegment3: IsIt = ({ op, path }) => op === 'rename' && path.startsWith(`${AUDIT}/000000000000003.`)

/** Three deltas with a document each, and none of them sealed yet; and a disk that fails when it is told to, once. */
async function threeDeltas(journal: typeof keepsAll) {
  let isIt: IsIt | null = null
  const faults = (operation: DiskOperation) => {
    if (isIt?.(operation) !== true) return null
    isIt = null
    return 'EIO'
  }
  const life = new Life({ disk: new CrashDisk({ faults }), journal })
  const maintainFailing = async (at: IsIt) => {
    isIt = at
    await expect(life.maintain()).rejects.toThrow('EIO')
  }
  await life.open()
  await life.do(moveDocument('a', 'fetching'))
  await maintainFailing(beginsSegment)
  await life.do(moveDocument('b', 'fetching'))
  await maintainFailing(beginsSegment)
  await life.do(moveDocument('c', 'fetching'))
  await life.pass(1)
  return { life, maintainFailing }
}

/** The next process misses nothing, and can make a snapshot. Answers the seqs that it found. */
async function mustBeWhole(disk: CrashDisk, { world }: Life): Promise<readonly number[]> {
  readLedger(disk.files(), FOLDER)
  const life = new Life({ disk, journal: keepsAll, nth: 9, startMs: world.clock.now() })
  await life.open()
  expect(life.complaints).toEqual([])
  const found = await seqsIn(life)
  await life.do(moveDocument('z', 'fetching'))
  await life.maintain()
  expect(await life.store.check()).toEqual([])
  const { items } = await life.store.find({ kind: 'document' })
  expect(items.map(({ doc_id }) => doc_id)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'z']))
  await life.close()
  return found
}

/** The same, for many ways in which the power can be lost. */
async function mustSurvivePowerLoss(life: Life): Promise<void> {
  for (let seed = 0; seed < SEEDS; seed++) {
    await mustBeWhole(life.disk.afterCrash(new SeededRandom(seed)), life)
  }
}

async function seqsIn({ store }: Life): Promise<readonly number[]> {
  return (await store.audit({})).items.map(({ seq }) => seq)
}

it('has removed sealed deltas for good before it retires their segments', async () => {
  const { life } = await threeDeltas(keepsNone)
  await life.maintain()
  await mustSurvivePowerLoss(life)
})

it('has removed for good what it found sealed, too, when there is nothing more to seal', async () => {
  const { life: first, maintainFailing } = await threeDeltas(keepsNone)
  await maintainFailing(namesSegment3)
  const startMs = first.world.clock.now()
  const second = new Life({ disk: first.disk.afterKill(), journal: keepsNone, nth: 2, startMs })
  await second.open()
  await second.maintain()
  await mustSurvivePowerLoss(second)
})

it('keeps the segments of deltas that could not be removed', async () => {
  const { life, maintainFailing } = await threeDeltas(keepsNone)
  await maintainFailing(removesDelta)
  await life.do(moveDocument('d', 'fetching'))
  await life.pass(1)
  await life.maintain()
  await mustBeWhole(life.disk.afterKill(), life)
  await mustSurvivePowerLoss(life)
})

it('lets go of a delta that was sealed by a run that failed then', async () => {
  const { life, maintainFailing } = await threeDeltas(keepsNone)
  await maintainFailing(({ op, path }) => op === 'syncFolder' && path === AUDIT)
  await life.do(moveDocument('d', 'fetching'))
  await life.pass(1)
  await life.maintain()
  await mustBeWhole(life.disk.afterKill(), life)
  await mustSurvivePowerLoss(life)
})

it.each([1, 2, 3])('tells everything once when the name of segment %i could not be synced', async (nth) => {
  const { life, maintainFailing } = await threeDeltas(keepsAll)
  let syncs = 0
  await maintainFailing(({ op, path }) => op === 'syncFolder' && path === AUDIT && ++syncs === nth)
  expect(await seqsIn(life)).toEqual([1, 2, 3])
  await life.maintain()
  expect(await seqsIn(life)).toEqual([1, 2, 3])
  for (let seed = 0; seed < SEEDS; seed++) {
    expect(await mustBeWhole(life.disk.afterCrash(new SeededRandom(seed)), life)).toEqual([1, 2, 3])
  }
})
