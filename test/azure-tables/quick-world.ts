import type { Timers } from '../../src/world/timers.ts'
import { realWorld, type World } from '../../src/world/world.ts'

export interface QuickWorld extends World {
  /** How long was waited before something was tried again, in order. */
  readonly pauses: readonly number[]
  /** Lets the time be up for every request that is under way. */
  timeOut(): void
}

/** Nobody waits in it: a pause is over at once, and the clock shows it. Only requests have all the time they need. */
export function quickWorld(requestTimeoutMs: number): QuickWorld {
  const pauses: number[] = []
  const underWay = new Set<() => void>()
  let passed = 0
  const timers: Timers = {
    ...realWorld.timers,
    after: (ms, callback) => {
      if (ms === requestTimeoutMs) {
        underWay.add(callback)
        return { cancel: () => underWay.delete(callback) }
      }
      pauses.push(ms)
      const immediate = setImmediate(() => {
        passed += ms
        callback()
      })
      return { cancel: () => clearImmediate(immediate) }
    },
  }
  return {
    ...realWorld,
    timers,
    clock: { now: () => realWorld.clock.now() + passed },
    pauses,
    timeOut: () => {
      for (const callback of underWay) callback()
    },
  }
}
