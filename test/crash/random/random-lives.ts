// A ledger's random lives: one process after the other opens it, does random things with it, and comes to a random end.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { WriterFailed } from '../../../src/errors/journal-errors.ts'
import type { JournalOptions } from '../../../src/store/journal/journal-options.ts'
import { moveDocument } from '../../../src/testing/conformance/commands.ts'
import { historyArbitrary } from '../../../src/testing/conformance/history/arbitrary.ts'
import type { Intent } from '../../../src/testing/conformance/history/intents.ts'
import { CrashDisk } from '../../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../../src/testing/seeded-random.ts'
import type { Looking } from '../compare-ledger.ts'
import { Ended, Life } from '../life.ts'
import { type Found, mustRecover, type Survivor, whichOf } from '../recovery.ts'
import type { Written } from '../witness.ts'
import { playIntent } from './player.ts'
import { lookBeside } from './read-only-look.ts'
import { Faults, type Trouble } from './troubles.ts'

const MOST_LIVES = 4
const INTENTS_PER_LIFE = 25
/** More than a life does; then it ends between two operations. */
const MOST_OPERATIONS = 150

type End = 'the power goes' | 'it is killed' | 'it is closed'

/** Plays all of it again when given the same seed. */
export async function playRandomLives(seed: number): Promise<number> {
  const lives = new RandomLives(seed)
  return await lives.play()
}

class RandomLives {
  readonly #random: SeededRandom
  readonly #intents: Intent[]
  readonly #journal: JournalOptions
  readonly #looking: Looking
  #survivor: Survivor = (options) => new CrashDisk(options)
  #possible: readonly (readonly Written[])[] = [[]]
  #startMs: number | undefined
  #recoveries = 0

  constructor(seed: number) {
    this.#random = new SeededRandom(seed)
    const steps = MOST_LIVES * INTENTS_PER_LIFE
    this.#intents = fc.sample(historyArbitrary(fc, steps), { seed, numRuns: 1 })[0] as Intent[]
    const forgets = this.#chance(0.2)
    this.#journal = {
      snapshotSchedule: null,
      keepSnapshots: 1 + this.#upTo(2),
      ...(this.#chance(0.3) ? { snapshotAfterBytes: 3000 } : null),
      ...(forgets ? { keepHistoryMs: 0 } : null),
    }
    this.#looking = { history: forgets ? 'what is kept' : 'whole' }
  }

  /** Answers how many times it was recovered. */
  async play(): Promise<number> {
    const lives = 1 + this.#upTo(MOST_LIVES - 1)
    for (let nth = 1; nth <= lives; nth++) await this.#live(nth)
    return this.#recoveries
  }

  async #live(nth: number): Promise<void> {
    const trouble = this.#oneOf<Trouble>(['nothing', 'nothing', 'the disk fills up', 'a sync fails'])
    const end = this.#oneOf<End>(['the power goes', 'the power goes', 'it is killed', 'it is closed'])
    const faults = new Faults(trouble, this.#random)
    const crashAt = end === 'it is closed' ? undefined : 1 + this.#upTo(MOST_OPERATIONS)
    const disk = this.#survivor({
      faults: faults.of,
      seed: nth,
      ...(crashAt === undefined ? null : { crashAt }),
    })
    const before = nth === 1 ? [] : whichOf(this.#found(nth), this.#survivor()).written
    const startMs = this.#startMs
    const journal = this.#journal
    const life = new Life({
      disk,
      journal,
      before,
      nth,
      ...(startMs === undefined ? null : { startMs }),
      ...(this.#chance(0.5) ? { slowness: this.#random } : null),
    })
    const hasOpened = await this.#spend(life, faults)
    if (end === 'it is closed' && hasOpened) await life.close().catch((error) => faults.mustExplain(error))
    disk.losePower()
    await life.quiet()
    if (hasOpened) this.#possible = life.witness.possible()
    this.#startMs = life.world.clock.now()
    const roll = this.#upTo(1_000_000)
    this.#survivor =
      end === 'it is killed'
        ? (options) => disk.afterKill(options)
        : (options) => disk.afterCrash(new SeededRandom(roll), options)
    await mustRecover(this.#found(nth + 1))
    this.#recoveries++
  }

  /** Answers whether the ledger could be opened. */
  async #spend(life: Life, faults: Faults): Promise<boolean> {
    faults.turn(this.#chance(0.2))
    if (!(await this.#open(life, faults))) return false
    for (let left = INTENTS_PER_LIFE; left > 0 && life.disk.hasPower; ) {
      const group = this.#intents.splice(0, 1 + this.#upTo(5))
      if (group.length === 0) break
      left -= group.length
      await this.#playGroup(life, group, faults)
      if (faults.isPoisoned && life.disk.hasPower) await mustStayPoisoned(life)
      if (this.#chance(0.3)) {
        faults.turn(!faults.isOn)
        if (!faults.isOn && faults.failed === null && life.disk.hasPower) await mustGoOn(life)
      }
    }
    return true
  }

  async #open(life: Life, faults: Faults): Promise<boolean> {
    for (let tries = 0; tries < 2; tries++) {
      try {
        await life.open()
        return true
      } catch (error) {
        faults.mustExplain(error)
        // Whoever opens it again does so when there is room, and when the disk works.
        faults.turn(false)
      }
    }
    return false
  }

  async #playGroup(life: Life, group: readonly Intent[], faults: Faults): Promise<void> {
    // Sweeps are answered as a whole, and a full disk may take a part of them: of one there are no parts.
    const most = faults.isOn ? 1 : 100
    const isLookedAt = this.#chance(0.2) && !faults.mayTakeBack
    const beside = isLookedAt ? [lookBeside(life, this.#looking)] : []
    const together = group.filter(({ what }) => what !== 'reopen')
    const played = await Promise.allSettled([
      ...together.map((intent) => this.#late().then(() => playIntent(life, intent, most))),
      ...beside.map((look) => look.catch((error) => life.disk.hasPower && Promise.reject(error))),
    ])
    for (const one of played) if (one.status === 'rejected') faults.mustExplain(one.reason)
    if (together.length === group.length || !life.disk.hasPower) return
    await life.close().catch((error) => faults.mustExplain(error))
    const isOpen = await this.#open(life, faults)
    // What could not be synced may be there all the same, and is built on from now on.
    if (isOpen && faults.failed !== null) {
      const found = { possible: life.witness.possible(), looking: this.#looking }
      life.witness.settle(whichOf(found, life.disk).written)
    }
    faults.forget()
  }

  /** Callers do not keep step. */
  async #late(): Promise<void> {
    for (let turns = this.#upTo(6); turns > 3; turns--) await new Promise((resolve) => setImmediate(resolve))
  }

  #found(lives: number): Found {
    return {
      survivor: this.#survivor,
      possible: this.#possible,
      journal: this.#journal,
      looking: this.#looking,
      startMs: this.#startMs ?? 0,
      lives,
    }
  }

  #chance(of: number): boolean {
    return this.#random.next() < of
  }

  #upTo(most: number): number {
    return Math.floor(this.#random.next() * (most + 1))
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[this.#upTo(items.length - 1)] as T
  }
}

/** After a failed sync nobody knows what the disk has, and so nothing is written any more. */
async function mustStayPoisoned(life: Life): Promise<void> {
  const error = await life.act(moveDocument('poisoned', 'fetching')).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Ended) return
  assert(error instanceof WriterFailed, 'a writer whose sync failed never writes again')
}

/** There is room again, and nobody has to do anything about it. */
async function mustGoOn(life: Life): Promise<void> {
  try {
    await life.act(moveDocument('room again', 'fetching'))
  } catch (error) {
    if (!(error instanceof Ended)) throw error
  }
}
