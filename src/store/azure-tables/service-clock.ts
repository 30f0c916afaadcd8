import type { Clock } from '../../world/clock.ts'

/** Half of what an answer does not tell: its date has whole seconds only. */
const HALF_SECOND_MS = 500

/** What time it is where the service is, as its answers tell it. */
export class ServiceClock {
  readonly #clock: Clock
  #aheadMs: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The date of an answer that has just come. */
  heard(date: string | undefined): void {
    const at = Date.parse(date ?? '')
    if (!Number.isNaN(at)) this.#aheadMs = at + HALF_SECOND_MS - this.#clock.now()
  }

  /** How far it is ahead of ours, within half a second and the time an answer takes; null before the first one. */
  get aheadMs(): number | null {
    return this.#aheadMs
  }
}
