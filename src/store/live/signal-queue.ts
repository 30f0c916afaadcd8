import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Signal } from '../../core/decision.ts'

/** Signals on their way, oldest first, delivered in pages. */
export class SignalQueue {
  readonly #signals: Signal[] = []
  /**
   * Whom to tell: fixed when delivery begins; whoever starts to wait later looks for itself. Once is enough for
   * several signals, since whoever is told looks at everything it waits for.
   */
  readonly #owed = new Map<string, RecordKey>()

  push(signal: Signal): void {
    this.#signals.push(signal)
  }

  /** Signals that somebody is still to be told of; those being delivered count as one. */
  get pending(): number {
    return this.#signals.length + (this.#owed.size > 0 ? 1 : 0)
  }

  /** The next keys to advance. They stay owed until `told` says that they were. */
  page(
    limit: number,
    waiting: (signal: Signal) => readonly RecordKey[],
    skips: (key: RecordKey) => boolean = () => false,
  ): readonly RecordKey[] {
    for (;;) {
      const page = [
        ...this.#owed
          .values()
          .filter((key) => !skips(key))
          .take(limit),
      ]
      const signal = page.length < limit ? this.#signals.shift() : undefined
      if (signal === undefined) return page
      for (const key of waiting(signal)) this.#owed.set(nameOfKey(key), key)
    }
  }

  /** Those that nobody was told of yet, oldest first. */
  all(): readonly Signal[] {
    return this.#signals
  }

  told(key: RecordKey): void {
    this.#owed.delete(nameOfKey(key))
  }
}
