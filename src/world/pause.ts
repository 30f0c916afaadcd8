import type { Timers } from './timers.ts'

export function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve))
}

/** The same where somebody waits, and there may be nothing else that keeps the process alive. */
export async function heldPause(timers: Timers, ms: number): Promise<void> {
  const hold = timers.hold()
  await pause(timers, ms)
  hold.cancel()
}
