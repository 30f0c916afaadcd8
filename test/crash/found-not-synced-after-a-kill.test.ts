// FOUND BY THE CRASH TESTS. The story: a process is killed while the system has something in memory that the disk does not
// have yet: a new name of a file, or the bytes of a batch. The next process sees it, takes it for durable, and builds on
// it. Then the power goes. What the second process had acknowledged, or had shown to readers, is gone with it.
import { expect, it } from 'vitest'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import type { DiskOperation } from '../../src/testing/crash/operation.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { FOLDER, Life } from './life.ts'

const SEEDS = 40
const journal = { snapshotSchedule: null }
const LARGE = 'x'.repeat(70_000)

/** Killed by the operation that `isIt` picks, then found by the next process. */
async function killedAt(
  script: (life: Life) => Promise<void>,
  isIt: (operation: DiskOperation, all: readonly DiskOperation[]) => boolean,
  seed = 1,
): Promise<CrashDisk> {
  const dry = new Life({ disk: new CrashDisk(), journal })
  await dry.play(script)
  const { operations } = dry.disk
  const crashAt = operations.find((operation) => isIt(operation, operations))?.n as number
  const life = new Life({ disk: new CrashDisk({ crashAt, seed }), journal })
  await life.play(script)
  return life.disk.afterKill()
}

/** What is in the ledger after the power was lost, for many ways in which it can be. */
async function statesAfterPowerLoss(disk: CrashDisk): Promise<readonly string[]> {
  const seen = new Set<string>()
  for (let seed = 0; seed < SEEDS; seed++) {
    const life = new Life({ disk: disk.afterCrash(new SeededRandom(seed)), journal, nth: 3 })
    await life.open()
    const { damage } = (await life.store.stats()).storage ?? {}
    const { items } = await life.store.find({ kind: 'document' })
    const { items: history } = await life.store.audit({})
    const states = items.map(({ doc_id, state }) => `${doc_id} ${state}`)
    seen.add(damage ?? `${states.join(', ')}; ${history.length} in the history`)
    await life.close()
  }
  return [...seen]
}

it('keeps what is acknowledged in a delta whose name the killed process had not made durable', async () => {
  const disk = await killedAt(
    (life) => life.open(),
    ({ op, path, n }, all) => op === 'syncFolder' && path === FOLDER && all[n - 2]?.op === 'rename',
  )
  const life = new Life({ disk, journal, nth: 2 })
  await life.open()
  await life.do(moveDocument('a', 'fetching'))
  expect(await statesAfterPowerLoss(disk)).toEqual(['a fetching; 1 in the history'])
})

it('does not remove a delta as long as the name of its segment is not durable', async () => {
  const disk = await killedAt(
    async (life) => {
      await life.open()
      await life.do(moveDocument('a', 'fetching'))
      await life.maintain()
    },
    ({ op, path }) => op === 'syncFolder' && path === `${FOLDER}/audit`,
  )
  const life = new Life({ disk, journal, nth: 2 })
  await life.open()
  expect(await statesAfterPowerLoss(disk)).toEqual(['a fetching; 1 in the history'])
})

it('makes a batch durable that it found and shows to readers, before it goes on after it', async () => {
  const script = async (life: Life) => {
    await life.open()
    // Too large to be filled for, so that the file ends where it ends.
    await life.do(moveDocument('a', 'fetching', { metadata: { LARGE } }))
  }
  let tried = 0
  for (let seed = 0; seed < SEEDS; seed++) {
    const disk = await killedAt(script, ({ op }) => op === 'writeThrough', seed)
    const life = new Life({ disk, journal, nth: 2 })
    await life.open()
    const { items } = await life.store.find({ kind: 'document' })
    if (items.length === 0) continue
    tried++
    expect(await statesAfterPowerLoss(disk)).toEqual(['a fetching; 1 in the history'])
    await life.do(moveDocument('a', 'fetched'))
    expect(await statesAfterPowerLoss(disk)).toEqual(['a fetched; 2 in the history'])
  }
  expect(tried).toBeGreaterThan(0)
})
