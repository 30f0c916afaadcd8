import { Quickness } from './quickness.ts'

/** About as long as it takes to open a ledger. */
const MOST_MS_READING = 10

/**
 * Whether a little is read at hand: while the disk is quick, and everything else has its turn now and then. Who reads much a little
 * at a time would keep the process from all of it.
 */
export class Reading {
  readonly #quickness: Quickness
  /** When the first was read since everything else had its turn; null when nothing was. */
  #since: number | null = null

  constructor(quickMs: number) {
    this.#quickness = new Quickness(quickMs, 0)
  }

  isWaitedFor(now: number): boolean {
    if (!this.#quickness.isQuick) return false
    if (this.#since !== null) return now - this.#since < MOST_MS_READING
    this.#since = now
    setImmediate(() => {
      this.#since = null
    })
    return true
  }

  took(ms: number): void {
    this.#quickness.took(ms)
  }
}
