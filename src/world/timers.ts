export interface Timers {
  /** Calls back once, after so many milliseconds, unless cancelled. Does not keep the process alive. */
  after(ms: number, callback: () => void): Timer
  /** Keeps the process alive until it is cancelled: somebody waits for something that will come. */
  hold(): Timer
  /** Resolves when everybody else has had a turn: long work asks for it now and then. */
  turn(): Promise<void>
}

export interface Timer {
  cancel(): void
}

/** Longest wait the platform takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemTimers: Timers = {
  after(ms, callback) {
    const timeout = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS)).unref()
    return { cancel: () => clearTimeout(timeout) }
  },
  hold() {
    const interval = setInterval(() => {}, LONGEST_TIMER_MS)
    return { cancel: () => clearInterval(interval) }
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
}
