// Crashes a scripted history at every operation of the disk, in several ways each, and again while it recovers.
import { createHash, randomInt } from 'node:crypto'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import type { ExpectedLedger } from './expected-ledger.ts'
import type { ScriptedHistory } from './histories/scripted-history.ts'
import { Life } from './life.ts'
import { isLong, numberFrom } from './random/seeds.ts'
import { type Found, goOn, lifeOn, mustRecover, mustRecoverAgain, type Survivor } from './recovery.ts'

export interface Effort {
  /** How many disks are rolled for each operation at which the power goes; one, and another each time, where there is little time. */
  readonly survivals: number
  /** Whether to crash again at every operation of the recovery: after each crash, or after some of them where there is little time. */
  readonly again: boolean
}

/** Of so many crashes, one is followed by others while it is recovered from. */
export const AGAIN_EVERY = isLong ? 1 : 24

/** By chance these or those; WAYBILL_SEED names the first. */
const MOST_ROLLS = 1000

export interface Tally {
  operations: number
  recoveries: number
  recoveriesOfRecoveries: number
}

export async function crashEverywhere(history: ScriptedHistory, effort: Effort): Promise<Tally> {
  const operations = await countOperations(history)
  const tally: Tally = { operations, recoveries: 0, recoveriesOfRecoveries: 0 }
  const seen: Seen = { once: new Set(), twice: new Set() }
  const first = numberFrom('WAYBILL_SEED') ?? randomInt(MOST_ROLLS)
  const rolls = Array.from({ length: isLong ? effort.survivals : 1 }, (_, i) => first + i)
  for (let n = 1; n <= operations; n++) {
    const again = effort.again && (n + first) % AGAIN_EVERY === 0
    const crashed = await crashAt(history, n)
    const left = leftBy(history, crashed)
    for (const roll of rolls) {
      const survivor: Survivor = (options) =>
        crashed.disk.afterCrash(new SeededRandom(n * MOST_ROLLS + roll), options)
      const found = { ...left, survivor }
      if (isKnown(seen.once, found)) continue
      await told(`power lost at operation ${n}, WAYBILL_SEED=${roll}`, crashed, () =>
        recover(found, again, seen, tally),
      )
    }
    const killed: Survivor = (options) => crashed.disk.afterKill(options)
    await told(`killed at operation ${n}, WAYBILL_SEED=${first}`, crashed, () =>
      recover({ ...left, survivor: killed }, again, seen, tally),
    )
  }
  return tally
}

/** Disks that were found after a crash, and after a second one. */
interface Seen {
  readonly once: Set<string>
  readonly twice: Set<string>
}

async function countOperations(history: ScriptedHistory): Promise<number> {
  return (await playOn(history, new CrashDisk())).disk.operations.length
}

function crashAt(history: ScriptedHistory, n: number): Promise<Life> {
  return playOn(history, new CrashDisk({ crashAt: n, seed: n }))
}

async function playOn({ journal, isSlow, play }: ScriptedHistory, disk: CrashDisk): Promise<Life> {
  const slowness = isSlow === true ? { slowness: new SeededRandom(1) } : null
  const life = new Life({ disk, journal, ...slowness })
  await life.play(play)
  return life
}

function leftBy(history: ScriptedHistory, { witness, world }: Life): Omit<Found, 'survivor'> {
  const looking = { history: history.journal.keepHistoryMs === undefined ? 'whole' : 'what is kept' } as const
  // Whoever recovers is not to make snapshots by itself: each would take longer than all the rest.
  const journal = { ...history.journal, snapshotAfterBytes: undefined }
  return {
    possible: witness.possible(),
    journal,
    looking,
    startMs: world.clock.now(),
    lives: 1,
  }
}

async function recover(found: Found, again: boolean, seen: Seen, tally: Tally): Promise<void> {
  const expected = await mustRecover(found)
  tally.recoveries++
  if (again) tally.recoveriesOfRecoveries += await crashWhileRecovering(found, expected, seen)
}

/** Answers how many times it was recovered. */
async function crashWhileRecovering(found: Found, expected: ExpectedLedger, seen: Seen): Promise<number> {
  let recoveries = 0
  for (let m = 1; ; m++) {
    const life = lifeOn(found, found.survivor({ crashAt: m, seed: m }), expected.written)
    let hasOpened = false
    await life.play(async () => {
      await life.open()
      hasOpened = true
      await goOn(life)
    })
    if (life.disk.hasPower) return recoveries
    // What nobody had promised and nobody has been shown may still be lost.
    const possible = hasOpened ? life.witness.possible() : found.possible
    // Power and process take turns: a second crash of either kind after a first one of either kind.
    const survivor: Survivor =
      m % 2 === 0 ? () => life.disk.afterCrash(new SeededRandom(m)) : () => life.disk.afterKill()
    const foundAgain = { ...found, survivor, possible, lives: found.lives + 1 }
    if (isKnown(seen.twice, foundAgain)) continue
    await told(`again at operation ${m} of the recovery`, life, () => mustRecoverAgain(foundAgain))
    recoveries++
  }
}

/** The same files with the same expectations need no second look. Who had them locked does not matter. */
function isKnown(seen: Set<string>, { survivor, possible }: Found): boolean {
  const hash = createHash('sha1')
  for (const [path, bytes] of survivor().files()) {
    if (!path.includes('/LOCK')) hash.update(`${path} ${bytes.length}\n`).update(bytes)
  }
  const name = `${hash.digest('hex')} ${possible.map(({ length }) => length)}`
  const isThere = seen.has(name)
  seen.add(name)
  return isThere
}

async function told(how: string, { disk }: Life, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const last = disk.operations.at(-1)
    throw new Error(`${how} (${last?.op} ${last?.path}): ${(error as Error).message}`, { cause: error })
  }
}
