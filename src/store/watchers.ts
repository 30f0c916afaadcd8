import type { AuditRecord } from '../core/audit.ts'
import { Followers } from './followers.ts'
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
  readonly #followers = new Followers()

  constructor(log: WatchedLog) {
    this.#log = log
  }

  wake(): void {
    this.#followers.wake()
  }

  close(): void {
    this.#followers.close()
  }

  /** Calls back whenever the log has grown. Answers how to stop it. */
  onNews(listener: () => void): () => void {
    return this.#followers.add(listener)
  }

  /** The place to start from is fixed when it is called, not when it is first read. */
  watch({ after, tenant_id, signal }: WatchOptions): AsyncIterable<AuditRecord> {
    const start = after === undefined ? this.#log.lastSeq : this.#log.placeOf(after)
    return this.#follow(start, tenant_id, signal)
  }

  async *#follow(start: number, tenant_id: string | undefined, signal: AbortSignal | undefined) {
    let seen = start
    while (!this.#followers.isOver(signal)) {
      const end = this.#log.lastSeq
      for await (const record of this.#log.after(seen)) {
        seen = record.seq
        if (tenant_id !== undefined && record.tenant_id !== tenant_id) continue
        yield record
        if (this.#followers.isOver(signal)) return
      }
      seen = Math.max(seen, end)
      // Closed while the last ones were read: it has no end to be asked for any more.
      if (this.#followers.isOver(signal)) return
      if (seen >= this.#log.lastSeq) await this.#followers.sleep(signal)
    }
  }
}
