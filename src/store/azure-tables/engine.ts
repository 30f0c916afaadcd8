import type { IdSource } from '../../core/decision.ts'
import type { Clock } from '../../world/clock.ts'
import type { Logger } from '../../world/logger.ts'
import type { Random } from '../../world/random.ts'
import type { Timers } from '../../world/timers.ts'
import type { TableService } from './service.ts'

/** What every part of the engine has. */
export interface Engine {
  readonly service: TableService
  readonly timers: Timers
  readonly random: Random
  readonly ids: IdSource
  readonly logger: Logger
  readonly time: LedgerTime
  /** This process, as the others know it. */
  readonly process: string
}

/**
 * The ledger's time on this machine: its own clock, but never earlier than anything that was seen of the ledger. Lines of
 * the log have a time of their own, which is later for each line that rests on another.
 */
export class LedgerTime {
  readonly #clock: Clock
  #now = 0
  #line = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    this.#now = Math.max(this.#now, this.#clock.now())
    return this.#now
  }

  /** Something happened at this time, in epoch milliseconds. */
  saw(at: number): void {
    if (at > this.#now) this.#now = at
  }

  line(): number {
    return Math.max(this.now(), this.#line + 1)
  }

  sawLine(at: number): void {
    if (at > this.#line) this.#line = at
  }
}
