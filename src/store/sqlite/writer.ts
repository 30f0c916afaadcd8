import { extendFile } from '../../world/extend-file.ts'
import { pause } from '../../world/pause.ts'
import type { Timer, Timers } from '../../world/timers.ts'
import type { Loaded, TakeWork, Wanted, WriteSet, Written } from '../tables/tables.ts'
import type { Folded } from '../tables/tail/tail.ts'
import type { Connection } from './connection.ts'
import { Fault, faultOf } from './fault.ts'
import { foldedUpTo, prepareFold, writeFold } from './fold.ts'
import { load } from './load.ts'
import { checkpoint, removeForms, removeHistory, removeTags, tidy } from './maintain.ts'
import { select, type Taken } from './take.ts'
import { write } from './write.ts'

/** The write-ahead log of whoever writes much is made that long at once, and a part of that while others wait. */
const LOG_BYTES = 32 * 1024 * 1024
const EXTENDED_AT_ONCE = 4 * 1024 * 1024

export interface WriterLimits {
  readonly path: string
  /** How long to wait for other processes. */
  readonly busyMs: number
  /** How long somebody may keep what was taken. */
  readonly sessionMs: number
}

export interface TakenAnswer extends Taken {
  /** Null when there was nothing: nothing is held then. */
  readonly session: number | null
  readonly also: Loaded
}

interface Session {
  readonly id: number
  readonly timer: Timer
  readonly end: () => void
}

/** Between two looks whether another process is done; longer when that takes long. */
const SHORTEST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 5
const PAUSES_UNTIL_LONGER = 100

/**
 * Everything that writes, one after the other. The database has one writer at a time, over all processes: here it is one's
 * turn in a queue, then `BEGIN IMMEDIATE`, tried again and again without keeping the thread, for readers go on.
 *
 * Whoever takes work keeps the turn as a session, until it writes or gives the work back, or forgets to for too long.
 */
export class Writer {
  readonly #db: Connection
  readonly #timers: Timers
  readonly #limits: WriterLimits
  #turn: Promise<void> = Promise.resolve()
  #session: Session | null = null
  #sessions = 0
  #isClosing = false

  constructor(db: Connection, timers: Timers, limits: WriterLimits) {
    this.#db = db
    this.#timers = timers
    this.#limits = limits
  }

  async write(set: WriteSet): Promise<Written> {
    return await this.#transaction(() => write(this.#db, set))
  }

  async take(work: TakeWork, also: Wanted): Promise<TakenAnswer> {
    const end = await this.#myTurn()
    let isKept = false
    try {
      await this.#begin()
      const taken = this.#orRollBack(() => ({ ...select(this.#db, work), also: load(this.#db, also) }))
      if (taken.jobs.length === 0 || this.#isClosing) {
        this.#rollBack()
        return { jobs: [], delivered: new Map(), also: taken.also, session: null }
      }
      const id = ++this.#sessions
      const timer = this.#timers.after(this.#limits.sessionMs, () => this.release(id))
      this.#session = { id, timer, end }
      isKept = true
      return { ...taken, session: id }
    } finally {
      if (!isKept) end()
    }
  }

  loadTaken(session: number, wanted: Wanted): Loaded {
    this.#mustBe(session)
    return load(this.#db, wanted)
  }

  writeTaken(session: number, set: WriteSet): Written {
    const { end, timer } = this.#mustBe(session)
    this.#session = null
    timer.cancel()
    try {
      return this.#orRollBack(() => {
        const written = write(this.#db, set)
        this.#db.commit()
        return written
      })
    } finally {
      end()
    }
  }

  /** Does nothing when it is over. */
  release(session: number): void {
    if (this.#session?.id !== session) return
    const { end, timer } = this.#session
    this.#session = null
    timer.cancel()
    try {
      this.#rollBack()
    } finally {
      end()
    }
  }

  async maintain(keepFrom: number | null): Promise<number> {
    let removed = 0
    if (keepFrom !== null) {
      for (let isDone = false; !isDone; ) {
        const some = await this.#transaction(() => removeHistory(this.#db, keepFrom))
        removed += some.records
        isDone = some.isDone
      }
      for (let tag: string | null = ''; removed > 0 && tag !== null; ) {
        const after: string = tag
        tag = await this.#transaction(() => removeTags(this.#db, after))
      }
    }
    await this.#transaction(() => removeForms(this.#db))
    await this.#tidy(tidy)
    return removed
  }

  /** Puts some of the tail where it is found. It is read, and made one, before anybody else is kept from writing. */
  async fold(reads: Connection, characters: number): Promise<Folded> {
    const fold = reads.within(() => prepareFold(reads, characters))
    if (fold !== null) await this.#transaction(() => writeFold(this.#db, fold))
    return reads.within(() => foldedUpTo(reads))
  }

  /** What was written elsewhere in the process is taken over from the write-ahead log. */
  async checkpoint(): Promise<void> {
    await this.#tidy(checkpoint)
    for (let isLonger = true; isLonger && !this.#isClosing; ) isLonger = await this.#makeLogLonger()
  }

  /** Whoever writes is to write over what is there. Nobody else does meanwhile: what is behind the end is nobody's. */
  async #makeLogLonger(): Promise<boolean> {
    return await this.#transaction(() => extendFile(`${this.#limits.path}-wal`, LOG_BYTES, EXTENDED_AT_ONCE))
  }

  /** Gives back what is taken, and hands nothing out any more. */
  close(): void {
    this.#isClosing = true
    if (this.#session !== null) this.release(this.#session.id)
  }

  async #transaction<T>(run: () => T): Promise<T> {
    const end = await this.#myTurn()
    try {
      await this.#begin()
      return this.#orRollBack(() => {
        const answer = run()
        this.#db.commit()
        return answer
      })
    } finally {
      end()
    }
  }

  async #tidy(run: (db: Connection) => void): Promise<void> {
    const end = await this.#myTurn()
    try {
      run(this.#db)
    } catch (error) {
      // Others write: what is left undone is done another time.
      if (faultOf(error).fault !== 'busy') throw error
    } finally {
      end()
    }
  }

  /** Resolves when everybody before is done. */
  async #myTurn(): Promise<() => void> {
    const before = this.#turn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#turn = promise
    await before
    return resolve
  }

  async #begin(): Promise<void> {
    let waited = 0
    for (let pauses = 0; ; pauses++) {
      try {
        this.#db.begin()
        return
      } catch (error) {
        const fault = faultOf(error)
        if (fault.fault !== 'busy' || waited >= this.#limits.busyMs) throw fault
      }
      const ms = pauses < PAUSES_UNTIL_LONGER ? SHORTEST_PAUSE_MS : LONGEST_PAUSE_MS
      await pause(this.#timers, ms)
      waited += ms
    }
  }

  #orRollBack<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** A full disk, or a failed one, may have done it already. */
  #rollBack(): void {
    if (this.#db.isWithin) this.#db.run('ROLLBACK')
  }

  #mustBe(session: number): Session {
    if (this.#session?.id === session) return this.#session
    throw new Fault('conflict', 'what was taken was kept for too long, and given back')
  }
}
