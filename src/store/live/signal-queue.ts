import type { RecordKey } from '../../core/aggregate.ts'
import type { Signal } from '../../core/decision.ts'

interface Delivery {
  readonly signal: Signal
  /** Fixed when delivery begins; whoever starts to wait later looks for itself. */
  readonly to: readonly RecordKey[]
  told: number
}

/** Signals on their way, oldest first, delivered in pages. */
export class SignalQueue {
  readonly #signals: Signal[] = []
  #current: Delivery | null = null

  push(signal: Signal): void {
    this.#signals.push(signal)
  }

  get pending(): number {
    return this.#signals.length + (this.#current === null ? 0 : 1)
  }

  /** The next page of keys to advance. A signal is gone when everybody was told. */
  page(limit: number, waiting: (signal: Signal) => readonly RecordKey[]): readonly RecordKey[] {
    const keys: RecordKey[] = []
    while (keys.length < limit) {
      const delivery = this.#current ?? this.#begin(waiting)
      if (delivery === null) break
      const part = delivery.to.slice(delivery.told, delivery.told + limit - keys.length)
      keys.push(...part)
      delivery.told += part.length
      this.#current = delivery.told < delivery.to.length ? delivery : null
    }
    return keys
  }

  #begin(waiting: (signal: Signal) => readonly RecordKey[]): Delivery | null {
    const signal = this.#signals.shift()
    return signal === undefined ? null : { signal, to: waiting(signal), told: 0 }
  }
}
