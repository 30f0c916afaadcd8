import type { Timer, Timers } from '../../src/world/timers.ts'

/** The timers of one process: they do not fire while it is halted, and never after its death. */
export class MortalTimers implements Timers {
  readonly #timers: Timers
  readonly #set = new Set<Timer>()
  /** What would have fired while it was halted. */
  #late: (() => void)[] | null = null
  #isDead = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get isDead(): boolean {
    return this.#isDead
  }

  after(ms: number, callback: () => void): Timer {
    if (this.#isDead) return NOTHING
    const timer = this.#timers.after(ms, () => {
      this.#set.delete(timer)
      if (this.#late === null) callback()
      else if (!cancelled) this.#late.push(() => cancelled || callback())
    })
    let cancelled = false
    this.#set.add(timer)
    return {
      cancel: () => {
        cancelled = true
        this.#set.delete(timer)
        timer.cancel()
      },
    }
  }

  hold(): Timer {
    return NOTHING
  }

  /** Long enough for whoever was told of something to come. */
  async turn(): Promise<void> {
    for (let others = 0; others < 30; others++) await null
  }

  halt(): void {
    this.#late ??= []
  }

  goOn(): void {
    const late = this.#late ?? []
    this.#late = null
    for (const fire of late) if (!this.#isDead) fire()
  }

  die(): void {
    this.#isDead = true
    for (const timer of this.#set) timer.cancel()
    this.#set.clear()
  }
}

const NOTHING: Timer = { cancel: () => {} }
