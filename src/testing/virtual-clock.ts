import type { Clock } from '../world/clock.ts'
import type { Timer, Timers } from '../world/timers.ts'

interface Pending extends Timer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** A good while in which promises that a timer set off may settle, before time goes on. */
const TURNS_BETWEEN_TIMERS = 50

/** Time that stands still until it is told to pass. Timers fire in order, at their own time. */
export class VirtualClock implements Clock, Timers {
  #now: number
  #order = 0
  readonly #pending = new Set<Pending>()

  constructor(startMs: number) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): Timer {
    const timer: Pending = {
      at: this.#now + Math.max(ms, 0),
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

  /** When the next timer fires; null when none is set. */
  get nextTimer(): number | null {
    return this.#next()?.at ?? null
  }

  /** Lets so much time pass. What fires in it, and what that sets off, has happened when this resolves. */
  async advanceBy(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      this.#now = Math.max(this.#now, next.at)
      this.#pending.delete(next)
      next.callback()
      await settle()
    }
    this.#now = end
  }

  /** Sets the clock without firing anything: what an administrator does, forward or back. */
  jumpTo(ms: number): void {
    this.#now = ms
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

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_BETWEEN_TIMERS; turn++) await Promise.resolve()
}
