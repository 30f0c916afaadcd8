import assert from 'node:assert/strict'
import type { AuditRecord } from '../../core/audit.ts'
import type { Store, WatchOptions } from '../../store/store.ts'
import { within } from './patience.ts'

/** Somebody who follows the log, record by record. Every wait has an end, whether the engine pushes or polls. */
export class Follower {
  readonly #iterator: AsyncIterator<AuditRecord>
  readonly #abort = new AbortController()
  readonly #patienceMs: number

  constructor(store: Store, options: WatchOptions, patienceMs: number) {
    this.#iterator = store.watch({ ...options, signal: this.#abort.signal })[Symbol.asyncIterator]()
    this.#patienceMs = patienceMs
  }

  /** The next so many; fails when they do not come. */
  async take(count: number): Promise<readonly AuditRecord[]> {
    const taken: AuditRecord[] = []
    while (taken.length < count) {
      const next = await within(
        this.#patienceMs,
        this.#iterator.next(),
        `record ${taken.length + 1} of ${count}`,
      )
      assert(!next.done, `the watch ended after ${taken.length} of ${count} records`)
      taken.push(next.value)
    }
    return taken
  }

  /** Resolves when the watch ends without another record. */
  async end(): Promise<void> {
    const next = await within(this.#patienceMs, this.#iterator.next(), 'end of the watch')
    assert(next.done === true, 'the watch ends')
  }

  abort(): void {
    this.#abort.abort()
  }

  async stop(): Promise<void> {
    this.abort()
    await within(this.#patienceMs, Promise.resolve(this.#iterator.return?.()), 'stopping the watch')
  }
}
