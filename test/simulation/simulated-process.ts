import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalOptions } from '../../src/store/journal/journal-options.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { TableStore } from '../../src/store/tables/table-store.ts'
import { PowerLost } from '../../src/testing/crash/operation.ts'
import { CrashDisk, type CrashDiskOptions } from '../../src/testing/crash-disk.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import type { Disk } from '../../src/world/disk.ts'
import { withShortFills } from '../crash/short-fills.ts'
import { type Account, openAccount } from './account.ts'
import type { Planted } from './faults/fault.ts'
import { LawBroken } from './law-broken.ts'
import { Life, type LifeParts, Unanswered } from './life.ts'
import { MortalTimers } from './mortal-timers.ts'
import type { ObservedAzureStore } from './observed-azure.ts'
import { ObservedStore } from './observed-store.ts'
import { ObservedDatabase, ObservedTableStore, ObservedTables } from './observed-tables.ts'
import { mustHoldShadow } from './same-as-shadow.ts'
import type { Scene } from './scene.ts'
import { slowDisk } from './slow-disk.ts'

const FOLDER = '/ledger'

/** How many writes find that somebody else was faster. */
const LOST_RACES = 0.05

/** More disk operations than a life has at most: then it does not end by them. */
const MOST_OPERATIONS = 1500

export type End = 'the power goes' | 'it is killed'

interface Surroundings extends Pick<LifeParts, 'publisher' | 'handlers'> {
  /** Where all processes have the ledger, if that is elsewhere. */
  readonly account: Account | null
}

type Observed = ObservedStore | ObservedTableStore | ObservedAzureStore

/** The process that has the ledger: one life after the other, as somebody who looks after it starts it again. */
export class SimulatedProcess {
  readonly #scene: Scene
  readonly #around: Surroundings
  readonly #planted: Planted
  readonly #journal: JournalOptions
  /** What outlives every process, where nothing is on its disk. */
  readonly #memory: { readonly store: ObservedStore; readonly disk: Disk } | null
  readonly #database: { readonly tables: ObservedDatabase; readonly disk: Disk } | null
  #disk: CrashDisk
  #diskOptions: { crashAt?: number } = {}
  #observed: Observed | null = null
  #life: Life | null = null
  /** Starts that did not come to anything, or have not yet. */
  #opening: MortalTimers | null = null

  constructor(scene: Scene, around: Surroundings) {
    const { dice, world } = scene
    this.#scene = scene
    this.#around = around
    this.#planted = scene.fault.plant()
    this.#disk = new CrashDisk(this.#newDiskOptions())
    this.#journal = {
      snapshotSchedule: null,
      keepSnapshots: dice.between(1, 2),
      ...(dice.chance(0.2) ? { snapshotAfterBytes: 60_000 } : null),
    }
    this.#memory =
      scene.engine === 'memory'
        ? { store: this.#observe(new MemoryStore(world)), disk: new MemoryDisk() }
        : null
    this.#database =
      scene.engine === 'tables' ? { tables: new ObservedDatabase(), disk: new MemoryDisk() } : null
  }

  /** Null while there is none that could be asked. */
  get life(): Life | null {
    return this.#life?.isAlive === true ? this.#life : null
  }

  get observed(): Observed | null {
    return this.#observed
  }

  /** Starts it; when that fails, again after a while. */
  start(): void {
    this.#scene.do(async () => {
      const timers = new MortalTimers(this.#scene.world.clock)
      this.#opening = timers
      const nth = ++this.#scene.lives
      try {
        const parts =
          this.#memory ??
          (await this.#openTables()) ??
          (await this.#openAccount(timers)) ??
          (await this.#openJournal(timers))
        if (this.#opening !== timers) return
        this.#observed = parts.store
        this.#opening = null
        this.#life = new Life(this.#scene, { nth, timers, planted: this.#planted, ...this.#around, ...parts })
      } catch (error) {
        if (this.#opening !== timers || error instanceof PowerLost) return
        this.#mustBeExcused(error)
        this.#scene.trace.add(`start ${nth} failed: ${(error as Error).message}`)
        this.end('it is killed')
        return
      }
      this.#scene.trace.add(`start ${nth}`)
      this.#life.start()
    })
  }

  /** Ends it at once, and has it started again after a while. */
  end(end: End): void {
    if (this.#life === null && this.#opening === null) return
    const { dice, trace, laws, troubles } = this.#scene
    trace.add(end)
    this.#life?.die()
    this.#opening?.die()
    this.#life = null
    this.#opening = null
    laws.sending.forgive()
    troubles.hasFailed = false
    if (this.#scene.engine === 'journal') this.#endDisk(end)
    this.#scene.after(dice.between(1, 5000), () => this.start())
  }

  /** In good order: what it holds is given back, and said to be whole. */
  async restart(): Promise<void> {
    const { life } = this
    if (life === null) return
    this.#scene.trace.add('close')
    const isClosed = await unlessItDies(life.close()).then(
      () => true,
      (error: unknown) => {
        this.#mustBeExcused(error)
        return false
      },
    )
    if (this.#life !== life) return
    // Also when it could not write any more, and was closed all the same: it has nothing to tell then.
    if (!isClosed || this.#scene.troubles.hasFailed) return this.end('it is killed')
    this.#life = null
    life.die()
    if (this.#scene.engine === 'journal') await this.#mustLetGo(this.#disk)
    this.#scene.after(this.#scene.dice.between(1, 2000), () => this.start())
  }

  async changeWorker(): Promise<void> {
    const { life } = this
    if (life !== null && !life.isClosing) await unlessItDies(life.changeWorker())
  }

  halt(ms: number): void {
    const { life } = this
    if (life === null) return
    // What it would have said of a refusal others may say before it does, where there are others, or where its own timekeeper
    // goes on while what it has sent is still on its way.
    if (this.#around.account !== null) this.#scene.laws.sending.forgive()
    life.halt()
    this.#scene.after(ms, () => life.goOn())
  }

  /** It does not end by itself any more. */
  calm(): void {
    delete this.#diskOptions.crashAt
  }

  #endDisk(end: End): void {
    const { world } = this.#scene
    this.#disk.losePower()
    const options = this.#newDiskOptions()
    this.#disk =
      end === 'it is killed' ? this.#disk.afterKill(options) : this.#disk.afterCrash(world.random, options)
  }

  #newDiskOptions(): CrashDiskOptions {
    const { dice, troubles, isCalm, engine } = this.#scene
    const ends = !isCalm && engine === 'journal' && dice.chance(0.5)
    const options = {
      faults: troubles.of,
      seed: dice.between(1, 1_000_000),
      ...(ends ? { crashAt: dice.between(1, MOST_OPERATIONS) } : null),
    }
    this.#diskOptions = options
    return options
  }

  async #openJournal(timers: MortalTimers): Promise<{ store: ObservedStore; disk: Disk }> {
    const { laws, world, dice, trace } = this.#scene
    const real = this.#disk
    const onPowerLost = () => {
      if (this.#disk === real) this.end('the power goes')
    }
    const slow = slowDisk(withShortFills(real), timers, dice, onPowerLost)
    const disk = this.#planted.disk?.(slow) ?? slow
    const logger = { ...world.logger, warn: (_: object, message: string) => trace.add(`warn: ${message}`) }
    const store = await openJournal(FOLDER, { ...world, disk, timers, logger }, this.#journal)
    const { journal } = store
    const before = this.#observed instanceof ObservedStore ? this.#observed.unsettled() : []
    for (const commit of before) {
      if (commit.etag > laws.shadow.etag && commit.etag <= journal.lastSeq) laws.commit(commit)
    }
    this.#observed = null
    await mustHoldShadow(store, laws.shadow)
    const observed = new ObservedStore(store, () => journal.lastSeq, laws)
    return { store: observed, disk }
  }

  /** A process of its own each time, on one database that goes on without it; some of its writes lose a race. */
  async #openTables(): Promise<{ store: ObservedTableStore; disk: Disk } | null> {
    const { laws, world, dice } = this.#scene
    if (this.#database === null) return null
    const { tables: database, disk } = this.#database
    const tables = new ObservedTables(database, {
      loses: () => dice.chance(LOST_RACES),
      // In the time of the simulation, and not of the process: what was sent arrives also when that is gone.
      turn: () => new Promise((resolve) => world.timers.after(1, resolve)),
      apartMs: dice.chance(0.5) ? 0 : 100,
    })
    const store = await TableStore.on({
      engine: 'tables in memory',
      watch: 'push',
      tables,
      world,
      clock: world.clock,
      keepHistoryMs: null,
      writesInPlace: 1,
      ready: dice.chance(0.5) ? { kept: dice.between(1, 4), read: dice.between(1, 4) } : undefined,
    })
    return { store: new ObservedTableStore(store, tables, database, laws), disk }
  }

  /** The same in an account; the way there may be the end of it. */
  async #openAccount(timers: MortalTimers): Promise<{ store: ObservedAzureStore; disk: Disk } | null> {
    const { account } = this.#around
    return account === null ? null : openAccount(this.#scene, account, timers, () => this.end('it is killed'))
  }

  #observe(store: MemoryStore): ObservedStore {
    const observed = new ObservedStore(store, () => Number.POSITIVE_INFINITY, this.#scene.laws)
    // What is in memory outlives those who use it here, and nobody could open it again.
    observed.close = async () => {}
    return observed
  }

  /** It let go of the ledger, so that somebody else may have it. */
  async #mustLetGo(disk: Disk): Promise<void> {
    const lock = await disk.lock(`${FOLDER}/LOCK`)
    if (lock === null) this.#scene.broke(new LawBroken('the ledger was closed and is locked'))
    await lock?.release()
  }

  #mustBeExcused(error: unknown): void {
    const { code } = error as NodeJS.ErrnoException
    const { troubles } = this.#scene
    const hasFailed = troubles.hasFailed && (code === 'EIO' || code === 'WRITER_FAILED')
    const isExcused = code === 'ENOSPC' || code === 'DISK_FULL' || hasFailed
    if (error instanceof LawBroken || !isExcused) this.#scene.broke(error)
  }
}

async function unlessItDies(done: Promise<void>): Promise<void> {
  await done.catch((error: unknown) => {
    if (!(error instanceof Unanswered)) throw error
  })
}
