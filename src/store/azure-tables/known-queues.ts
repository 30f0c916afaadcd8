import { SECOND_MS } from '../../core/time.ts'
import type { Timers } from '../../world/timers.ts'
import type { AzureCell } from './azure-cell.ts'

/** How long another process may go on as if a queue had not been paused or resumed. */
const KNOWN_MS = SECOND_MS

/**
 * What was decided about queues, as it was read a moment ago: whoever looks for work wants to know each time. What this
 * process decides itself counts at once.
 */
export class KnownQueues {
  readonly #timers: Timers
  readonly #cells = new Map<string, AzureCell>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get(queue: string): AzureCell | undefined {
    return this.#cells.get(queue)
  }

  know(cell: AzureCell): void {
    const { id } = cell.key
    if (this.#cells.has(id)) return
    this.#cells.set(id, cell)
    this.#timers.after(KNOWN_MS, () => {
      if (this.#cells.get(id) === cell) this.#cells.delete(id)
    })
  }

  forget(queue: string): void {
    this.#cells.delete(queue)
  }
}
