import type { AuditRecord } from '../core/audit.ts'
import type { Cursor } from './query.ts'
import type { WatchOptions } from './store.ts'

/** A log that can be followed. */
export interface WatchedLog {
  /** The last place that is taken; there may be places without a record. */
  readonly lastSeq: number
  /** The place that a cursor stands for. */
  placeOf(cursor: Cursor): number
  /** Records after a place, in order. */
  after(seq: number): Iterable<AuditRecord> | AsyncIterable<AuditRecord>
}

/** Followers of the log: each reads at its own pace from where it stands, and sleeps when it has seen all. */
export class Watchers {
  readonly #log: WatchedLog
  readonly #sleeping = new Set<() => void>()
  readonly #listeners = new Set<() => void>()
  #closed = false

  constructor(log: WatchedLog) {
    this.#log = log
  }

  wake(): void {
    for (const listener of this.#listeners) listener()
    if (this.#sleeping.size === 0) return
    for (const resume of this.#sleeping) resume()
    this.#sleeping.clear()
  }

  close(): void {
    this.#closed = true
    this.#listeners.clear()
    this.wake()
  }

  /** Calls back whenever the log has grown. Answers how to stop it. */
  onNews(listener: () => void): () => void {
    // In a function of its own, so that one who subscribes twice is called twice.
    const own = () => listener()
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  /** The place to start from is fixed when it is called, not when it is first read. */
  watch({ after, tenant_id, signal }: WatchOptions): AsyncIterable<AuditRecord> {
    const start = after === undefined ? this.#log.lastSeq : this.#log.placeOf(after)
    return this.#follow(start, tenant_id, signal)
  }

  async *#follow(start: number, tenant_id: string | undefined, signal: AbortSignal | undefined) {
    let seen = start
    while (!this.#isOver(signal)) {
      const end = this.#log.lastSeq
      for await (const record of this.#log.after(seen)) {
        seen = record.seq
        if (tenant_id !== undefined && record.tenant_id !== tenant_id) continue
        yield record
        if (this.#isOver(signal)) return
      }
      seen = Math.max(seen, end)
      if (seen >= this.#log.lastSeq) await this.#sleep(signal)
    }
  }

  #isOver(signal: AbortSignal | undefined): boolean {
    return this.#closed || signal?.aborted === true
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
