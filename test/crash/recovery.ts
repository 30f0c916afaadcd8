// What has to be true of a ledger that a crash left behind, whatever the crash was.
import assert from 'node:assert/strict'
import type { JournalOptions } from '../../src/store/journal/journal-options.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { untoldIn } from '../../src/testing/conformance/history/reference-reads.ts'
import type { CrashDisk, CrashDiskOptions } from '../../src/testing/crash-disk.ts'
import {
  compareDevices,
  compareFiles,
  compareNaive,
  comparePlaces,
  compareStore,
  type Looking,
  mustBeSound,
} from './compare-ledger.ts'
import { ExpectedLedger } from './expected-ledger.ts'
import { FOLDER, Life } from './life.ts'
import { readLedger } from './naive-reader.ts'
import type { Written } from './witness.ts'

/** The disk that was found, as often as it is asked for: each can be crashed in another way. */
export type Survivor = (options?: CrashDiskOptions) => CrashDisk

export interface Found {
  readonly survivor: Survivor
  /** What may be in the ledger. */
  readonly possible: readonly (readonly Written[])[]
  readonly journal: JournalOptions
  readonly looking: Looking
  readonly startMs: number
  /** So many processes were there before. */
  readonly lives: number
}

/** Opens it, looks at everything, and writes to it. Answers what was in it. */
export async function mustRecover(found: Found): Promise<ExpectedLedger> {
  const { survivor, looking } = found
  const disk = survivor()
  const expected = whichOf(found, disk)
  const life = lifeOn(found, disk, expected.written)
  await life.open()
  mustNotComplain(life)
  await compareStore(life.store, expected, looking)
  await compareDevices(life.store, expected)
  const naive = compareFiles(disk.files(), FOLDER, expected, looking)
  await comparePlaces(life.store, naive)
  await mustBeSound(life.store)
  await goOn(life)
  const after = new ExpectedLedger(life.witness.acknowledged())
  await tellAll(life)
  await life.close()
  assert(after.model.log.length > expected.model.log.length, 'it can be written to')
  return expected
}

/** The same, in less time: for the second crash of two, of which there are many. */
export async function mustRecoverAgain(found: Found): Promise<void> {
  const { survivor, looking } = found
  const disk = survivor()
  const expected = whichOf(found, disk)
  const life = lifeOn(found, disk, expected.written)
  await life.open()
  mustNotComplain(life)
  await compareStore(life.store, expected, looking)
  await life.close()
  compareFiles(disk.files(), FOLDER, expected, looking)
}

/** Which of the possible ledgers it is, going by the files alone. */
export function whichOf(
  { possible, looking }: Pick<Found, 'possible' | 'looking'>,
  disk: CrashDisk,
): ExpectedLedger {
  const naive = readLedger(disk.files(), FOLDER)
  let problem: unknown
  for (const written of possible) {
    const expected = expectedOf(written)
    try {
      compareNaive(naive, expected, looking)
      return expected
    } catch (error) {
      problem ??= error
    }
  }
  const { message } = problem as Error
  throw new Error(`none of ${possible.length} possible ledgers is there: ${message}`, { cause: problem })
}

/** A crash is looked at in many ways, and what has to be there is always the same. */
const known = new WeakMap<readonly Written[], ExpectedLedger>()

function expectedOf(written: readonly Written[]): ExpectedLedger {
  const expected = known.get(written) ?? new ExpectedLedger(written)
  known.set(written, expected)
  return expected
}

export function lifeOn(
  { journal, startMs, lives }: Found,
  disk: CrashDisk,
  before: readonly Written[],
): Life {
  return new Life({ disk, journal, before, nth: lives + 1, startMs })
}

/** An ordinary crash is no damage: all there is to say of it is that it cut off what was being written. */
function mustNotComplain({ complaints }: Life): void {
  const others = complaints.filter(({ fields }) => (fields as { code?: string }).code !== 'TORN_BATCH')
  assert.deepEqual(others, [], 'nothing to complain of')
}

/** Something like what came before, so that it shows if anything was left in disorder. */
export async function goOn(life: Life): Promise<void> {
  await life.do(moveDocument('after the crash', 'fetching'))
  await life.together([moveDocument('and another', 'skipped'), moveDocument('after the crash', 'fetched')])
}

/** Signals outlive a crash: in the end everybody was told who waits for a job that has ended. */
async function tellAll(life: Life): Promise<void> {
  for (let pages = 0; (await life.sweep('signalled')) > 0; pages++)
    assert(pages < 100, 'signals come to an end')
  const { model } = new ExpectedLedger(life.witness.acknowledged())
  assert.deepEqual(untoldIn(model), [], 'everybody was told')
}
