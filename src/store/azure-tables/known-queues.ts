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
  /** Grows with everything that makes old what is just being read. */
  #changes = 0

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get(queue: string): AzureCell | undefined {
    return this.#cells.get(queue)
  }

  /** Say it before they are read, and then what was: it is of that moment, however long the answer takes. */
  reading(): (cells: readonly AzureCell[]) => void {
    let isOver = false
    const changes = this.#changes
    const known: AzureCell[] = []
    this.#timers.after(KNOWN_MS, () => {
      isOver = true
      for (const cell of known) if (this.#cells.get(cell.key.id) === cell) this.#cells.delete(cell.key.id)
    })
    return (cells) => {
      if (isOver || changes !== this.#changes) return
      for (const cell of cells) {
        if (this.#cells.has(cell.key.id)) continue
        this.#cells.set(cell.key.id, cell)
        known.push(cell)
      }
    }
  }

  forget(queue: string): void {
    this.#changes++
    this.#cells.delete(queue)
  }
}
