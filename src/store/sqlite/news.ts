import { basename, dirname } from 'node:path'
import { watchFolder } from '../../world/folder-watch.ts'
import type { Timer, Timers } from '../../world/timers.ts'
import type { Connection } from './connection.ts'

/**
 * Bytes arrive in the write-ahead log a moment before the transaction they are part of is there to see, and nothing else
 * tells of that: after bytes arrived it is looked for again and again for a while, the longer the more seldom.
 */
const LOOK_AFTER_MS = [0, 1, 1, 2, 2, 3, 4, 5, 5, 5, 8, 8, 10, 10, 20, 20, 50] as const

/** After so many looks without a write of our own it is listened again: to begin and to stop takes as long as a small write. */
const LOOKS_UNTIL_LISTENING = 5

/** Whoever writes sees what others wrote before, and that it was written is told like what others write. So often it is believed. */
const MOST_PASSED = 10

/** In case nothing is told at all. */
export const LOOK_ANYWAY_MS = 1000

/** Hears of what other processes wrote. */
export class News {
  readonly #db: Connection
  readonly #timers: Timers
  readonly #tell: () => void
  readonly #folder: string
  readonly #log: string
  /**
   * Null while this process writes again and again: to be told of each page that it writes takes half as long as to write it, and
   * it is looked for all the time then.
   */
  #watch: { close(): void } | null = null
  #version: number
  #soon: Timer | null = null
  #looks = 0
  /** Something was written here since the last look, and how many looks were left out for that. */
  #hasWritten = false
  #passed = 0
  #anyway: Timer | null = null
  #isClosed = false

  constructor(path: string, db: Connection, timers: Timers, tell: () => void) {
    this.#db = db
    this.#timers = timers
    this.#tell = tell
    this.#version = db.dataVersion()
    this.#folder = dirname(path)
    this.#log = `${basename(path)}-wal`
    // As after a write: whoever opens a ledger is likely to write, and need not begin to listen only to stop.
    this.#hear()
    this.#lookAnyway()
  }

  /** This process has written, and seen by where that came in the log whether others have. */
  wrote(): void {
    this.#hasWritten = true
  }

  /** Tells again, of all that there is by now: what was seen of it earlier is nothing new afterwards. */
  tellAgain(): void {
    if (!this.#isClosed && this.#see()) this.#tell()
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening()
    this.#soon?.cancel()
    this.#anyway?.cancel()
  }

  #hear(): void {
    if (this.#isClosed) return
    this.#looks = 0
    if (this.#soon === null) this.#lookSoon()
  }

  #lookSoon(): void {
    const ms = LOOK_AFTER_MS[this.#looks++]
    this.#soon =
      ms === undefined
        ? null
        : this.#timers.after(ms, () => {
            if (this.#hasWritten) this.#stopListening()
            else if (this.#looks > LOOKS_UNTIL_LISTENING) this.#listen()
            if (this.#mayPass()) this.#looks = 0
            else this.#look()
            this.#lookSoon()
          })
  }

  #listen(): void {
    this.#watch ??= watchFolder(this.#folder, (name) => {
      if (name === null || name === this.#log) this.#hear()
    })
  }

  #stopListening(): void {
    this.#watch?.close()
    this.#watch = null
  }

  #mayPass(): boolean {
    const mayPass = this.#hasWritten && this.#passed < MOST_PASSED
    this.#hasWritten = false
    this.#passed = mayPass ? this.#passed + 1 : 0
    return mayPass
  }

  #lookAnyway(): void {
    this.#anyway = this.#timers.after(LOOK_ANYWAY_MS, () => {
      this.#look()
      this.#lookAnyway()
    })
  }

  #look(): void {
    const before = this.#version
    if (this.#see() && this.#version !== before) this.#tell()
  }

  #see(): boolean {
    try {
      this.#version = this.#db.dataVersion()
      return true
    } catch {
      // Whoever reads or writes next is told what is wrong, and it is looked for again.
      return false
    }
  }
}
