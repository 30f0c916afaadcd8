import { MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { LoginBlocked } from '../../errors/http-errors.ts'
import { RecentlyUsed } from '../../store/recently-used.ts'
import type { Clock } from '../../world/clock.ts'

/** So many wrong tokens may come from an address within the window. */
const MOST_FAILURES = 10
const WINDOW_MS = MINUTE_MS

/** Addresses that are remembered; those that failed least lately go first. */
const MOST_ADDRESSES = 10_000

interface Failures {
  count: number
  readonly until: number
}

/** Slows down whoever guesses. A token has 256 bits, so this keeps the log and the server quiet, more than anybody out. */
export class FailedLogins {
  readonly #clock: Clock
  readonly #byAddress = new RecentlyUsed<string, Failures>(MOST_ADDRESSES)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Before a token is looked at. One that was wrong too often is not heard until the window is over. */
  check(address: string): void {
    const failures = this.#current(address)
    if (failures === undefined || failures.count < MOST_FAILURES) return
    throw new LoginBlocked(Math.ceil((failures.until - this.#clock.now()) / SECOND_MS))
  }

  record(address: string): void {
    const failures = this.#current(address)
    if (failures !== undefined) failures.count++
    else this.#byAddress.set(address, { count: 1, until: this.#clock.now() + WINDOW_MS })
  }

  #current(address: string): Failures | undefined {
    const failures = this.#byAddress.get(address)
    return failures !== undefined && failures.until > this.#clock.now() ? failures : undefined
  }
}
