import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { Quickness } from './quickness.ts'

/** A disk that takes less than this on average is waited for: having another thread do it would take longer. */
const QUICK_MS = 0.5

/**
 * What another thread takes has the way there and back in it, which may be longer than the sync. So after so many of them one is
 * waited for, to see how long that takes; not if the disk is so slow that it cannot be the way alone.
 */
const TRIPS_UNTIL_TRIED = 8
const WORTH_TRYING_MS = 3 * QUICK_MS

/** How the system is asked: so that the process waits, or by another thread. */
export interface Syncing {
  now(fd: number): void
  later(fd: number): Promise<void>
}

const SYSTEM: Syncing = {
  now: fdatasyncSync,
  later: (fd) =>
    new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error === null ? resolve() : reject(error)))
    }),
}

/**
 * Makes what others wrote to a file durable. Everybody who asks while it is being done waits for the next time, together: what
 * was written meanwhile may have come too late for this one. Once it failed it fails for good: nobody can say what of all that
 * was written before has come to the disk, whatever the system says next time.
 */
export class DataSync {
  readonly #fd: number
  readonly #syncing: Syncing
  readonly #quickness = new Quickness(QUICK_MS)
  /** Marks: of the last write, and of the last one that is durable. */
  #written = 0
  #synced = 0
  #running: Promise<void> | null = null
  /** Syncs by another thread since the last one that was waited for, and what the latest took. */
  #trips = 0
  #tripMs = Number.POSITIVE_INFINITY
  #failure: { readonly error: unknown } | null = null

  constructor(path: string, syncing = SYSTEM) {
    this.#fd = openSync(path, 'r+')
    this.#syncing = syncing
  }

  /** Something was written. Answers its mark. */
  wrote(): number {
    return ++this.#written
  }

  /** Another thread begins with what was written so far, for whoever has something else to do meanwhile. */
  begin(): void {
    if (this.#failure === null) this.#running ??= this.#begin()
  }

  /** Everything up to the mark is durable when it resolves. */
  async until(mark: number): Promise<void> {
    while (!this.atOnce(mark)) {
      if (this.#failure !== null) throw this.#failure.error
      this.#running ??= this.#begin()
      await this.#running
    }
  }

  /** The same at once, where that is quicker than to have another thread do it; false when it has to be waited for. */
  atOnce(mark: number): boolean {
    if (this.#synced < mark && this.#failure === null && this.#running === null && this.#isWorthWaiting)
      this.#now()
    return this.#synced >= mark
  }

  /** Everything that was written before is durable when it resolves. */
  sync(): Promise<void> {
    return this.until(this.wrote())
  }

  /** Resolves when everything that is known to be written is durable, or never will be. */
  async settled(): Promise<void> {
    if (this.#synced < this.#written) await this.until(this.#written).catch(() => {})
  }

  close(): void {
    closeSync(this.#fd)
  }

  get #isWorthWaiting(): boolean {
    return this.#quickness.isQuick || (this.#trips >= TRIPS_UNTIL_TRIED && this.#tripMs < WORTH_TRYING_MS)
  }

  /** Never rejects: whoever waits looks what came of it. */
  async #begin(): Promise<void> {
    const mark = this.#written
    const start = performance.now()
    try {
      await this.#syncing.later(this.#fd)
      this.#trips++
      this.#tripMs = performance.now() - start
      if (this.#tripMs < QUICK_MS) this.#quickness.took(this.#tripMs)
      this.#synced = mark
    } catch (error) {
      this.#failure = { error }
    } finally {
      this.#running = null
    }
  }

  #now(): void {
    const mark = this.#written
    const start = performance.now()
    try {
      this.#syncing.now(this.#fd)
    } catch (error) {
      this.#failure = { error }
      return
    }
    this.#quickness.took(performance.now() - start)
    this.#trips = 0
    this.#synced = mark
  }
}
