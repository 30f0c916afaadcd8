import type { Clock } from '../world/clock.ts'
import type { Timer, Timers } from '../world/timers.ts'

interface Pending extends Timer {
  /** By the time that has passed, which nobody can set. */
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** Time that stands still until it is told to pass. Timers fire in order, at their own time. */
export class VirtualClock implements Clock, Timers {
  #passed = 0
  /** What the clock shows more than that. */
  #ahead: number
  #order = 0
  readonly #pending = new Set<Pending>()

  constructor(startMs: number) {
    this.#ahead = startMs
  }

  now(): number {
    return this.#passed + this.#ahead
  }

  after(ms: number, callback: () => void): Timer {
    const timer: Pending = {
      // A clock shows whole milliseconds, and no timer fires before its time.
      at: this.#passed + Math.max(Math.ceil(ms), 0),
      order: this.#order++,
      callback,
      cancel: () => this.#pending.delete(timer),
    }
    this.#pending.add(timer)
    return timer
  }

  /** Nothing ends by itself here. */
  hold(): Timer {
    return { cancel: () => {} }
  }

  /** Nobody has to wait for it: what is ready to go on goes on before. */
  async turn(): Promise<void> {}

  /** When the next timer fires, if nobody sets the clock before; null when none is set. */
  get nextTimer(): number | null {
    const next = this.#next()
    return next === undefined ? null : next.at + this.#ahead
  }

  /** Lets so much time pass. What fires in it, and what that sets off, has happened when this resolves. */
  async advanceBy(ms: number): Promise<void> {
    const end = this.#passed + ms
    await everythingElse()
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      this.#passed = Math.max(this.#passed, next.at)
      this.#pending.delete(next)
      next.callback()
      await everythingElse()
    }
    this.#passed = end
  }

  /** Sets the clock, forward or back, as an administrator does. Timers go by the time that passes, and do not notice. */
  jumpTo(ms: number): void {
    this.#ahead = ms - this.#passed
  }

  #next(): Pending | undefined {
    let first: Pending | undefined
    for (const timer of this.#pending) {
      if (
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order)
      ) {
        first = timer
      }
    }
    return first
  }
}

/** Promises and ticks all go on before the event loop turns: when it has, nothing is left that could happen now. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
