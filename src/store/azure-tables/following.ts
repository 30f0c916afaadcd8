import type { AuditRecord } from '../../core/audit.ts'
import type { WatchOptions } from '../store.ts'
import type { MergedLog } from './merged-log.ts'
import { type Position, positionOf } from './position.ts'

/** Followers of the log, and those who want to be called when something happens. */
export class Following {
  readonly #log: MergedLog
  readonly #onWanted: () => void
  readonly #sleeping = new Set<() => void>()
  readonly #listeners = new Set<() => void>()
  #followers = 0
  #wakes = 0
  #isClosed = false

  constructor(log: MergedLog, onWanted: () => void) {
    this.#log = log
    this.#onWanted = onWanted
  }

  get isWanted(): boolean {
    return this.#followers > 0 || this.#listeners.size > 0
  }

  wake(): void {
    this.#wakes++
    for (const listener of this.#listeners) listener()
    for (const resume of [...this.#sleeping]) resume()
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.wake()
  }

  /** Answers how to stop it. */
  subscribe(listener: () => void): () => void {
    // In a function of its own, so that one who subscribes twice is called twice.
    const own = () => listener()
    this.#listeners.add(own)
    this.#onWanted()
    return () => {
      this.#listeners.delete(own)
    }
  }

  /** The place to start from is asked for when it is called, not when it is first read. */
  watch({ after, tenant_id, signal }: WatchOptions): AsyncIterable<AuditRecord> {
    const start = after === undefined ? this.#log.end() : this.#from(after)
    start.catch(() => {})
    return this.#follow(start, tenant_id, signal)
  }

  async #from(cursor: string): Promise<Position> {
    const position = positionOf(cursor)
    await this.#log.mustBeReached(position)
    return position
  }

  async *#follow(
    start: Promise<Position>,
    tenant_id: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<AuditRecord> {
    this.#followers++
    this.#onWanted()
    try {
      let position = await start
      while (!this.#isOver(signal)) {
        const wakes = this.#wakes
        for await (const record of this.#log.after(position)) {
          position = positionOf(record.cursor)
          if (tenant_id !== undefined && record.tenant_id !== tenant_id) continue
          yield record
          if (this.#isOver(signal)) return
        }
        if (wakes === this.#wakes) await this.#sleep(signal)
      }
    } finally {
      this.#followers--
    }
  }

  #isOver(signal: AbortSignal | undefined): boolean {
    return this.#isClosed || signal?.aborted === true
  }

  #sleep(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        signal?.removeEventListener('abort', resume)
        this.#sleeping.delete(resume)
        resolve()
      }
      signal?.addEventListener('abort', resume)
      if (this.#isOver(signal)) resume()
      else this.#sleeping.add(resume)
    })
  }
}
