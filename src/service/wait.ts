import type { Timers } from '../world/timers.ts'

/** Resolves when the time is over, or when the signal says not to wait any longer. */
export function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      timer.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = timers.after(ms, end)
    signal.addEventListener('abort', end)
  })
}
