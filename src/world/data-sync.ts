import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { Quickness } from './quickness.ts'

/** A disk that takes less than this on average is waited for: having another thread do it would take longer. */
const QUICK_MS = 0.5

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
 * was written meanwhile may have come too late for this one.
 */
export class DataSync {
  readonly #fd: number
  readonly #syncing: Syncing
  readonly #quickness = new Quickness(QUICK_MS)
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(path: string, syncing = SYSTEM) {
    this.#fd = openSync(path, 'r+')
    this.#syncing = syncing
  }

  /** Everything that was written before is durable when it resolves. */
  async sync(): Promise<void> {
    if (this.#running === null && this.#quickness.isQuick) return this.#now()
    if (this.#running === null) return this.#begin()
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null
        return this.#begin()
      })
    return this.#next
  }

  /** Resolves when nobody who has asked so far waits any more, whatever came of it. */
  async settled(): Promise<void> {
    if (this.#running !== null) await Promise.allSettled([this.#running, this.#next])
  }

  close(): void {
    closeSync(this.#fd)
  }

  #begin(): Promise<void> {
    const start = performance.now()
    const running = this.#syncing.later(this.#fd).finally(() => {
      this.#quickness.took(performance.now() - start)
      if (this.#next === null) this.#running = null
    })
    this.#running = running
    return running
  }

  #now(): void {
    const start = performance.now()
    this.#syncing.now(this.#fd)
    this.#quickness.took(performance.now() - start)
  }
}
