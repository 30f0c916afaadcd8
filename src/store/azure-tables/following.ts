import type { AuditRecord } from '../../core/audit.ts'
import { Followers } from '../followers.ts'
import type { WatchOptions } from '../store.ts'
import type { MergedLog } from './merged-log.ts'
import { type Position, positionOf } from './position.ts'

/** Followers of the log, and those who want to be called when something happens. */
export class Following {
  readonly #log: MergedLog
  readonly #onWanted: () => void
  readonly #followers = new Followers()
  #watches = 0
  #wakes = 0

  constructor(log: MergedLog, onWanted: () => void) {
    this.#log = log
    this.#onWanted = onWanted
  }

  get isWanted(): boolean {
    return this.#watches > 0 || this.#followers.hasListeners
  }

  wake(): void {
    this.#wakes++
    this.#followers.wake()
  }

  close(): void {
    this.#followers.close()
  }

  /** Answers how to stop it. */
  subscribe(listener: () => void): () => void {
    const stop = this.#followers.add(listener)
    this.#onWanted()
    return stop
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
    this.#watches++
    this.#onWanted()
    try {
      let position = await start
      while (!this.#followers.isOver(signal)) {
        const wakes = this.#wakes
        for await (const record of this.#log.after(position)) {
          position = positionOf(record.cursor)
          if (tenant_id !== undefined && record.tenant_id !== tenant_id) continue
          yield record
          if (this.#followers.isOver(signal)) return
        }
        if (wakes === this.#wakes) await this.#followers.sleep(signal)
      }
    } finally {
      this.#watches--
    }
  }
}
