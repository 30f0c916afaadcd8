import type { Timers } from '../../world/timers.ts'

export function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve))
}
