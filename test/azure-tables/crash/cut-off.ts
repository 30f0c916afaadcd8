import { type VirtualWorld, virtualWorld } from '../../../src/testing/virtual-world.ts'
import type { Timers } from '../../../src/world/timers.ts'
import { systemTimers } from '../../../src/world/timers.ts'
import type { FakeRequest } from '../fake-table-service.ts'
import type { Fate } from '../proxy.ts'

/** The process is gone: nothing that it still does gets anywhere. */
class Gone extends Error {
  constructor() {
    super('the process is gone')
  }
}

export interface CutAt {
  /** Which request, counted from when it is armed. */
  readonly nth: number
  /** Whether the service has done it. */
  readonly isDone: boolean
  /** It only falls asleep, and goes on when this resolves. */
  readonly sleep?: Promise<void>
}

/** Hooks of a service whose process dies at a request. */
export class Mortal {
  #at: CutAt | null = null
  #requests = 0
  isGone = false
  isAsleep = false

  arm(at: CutAt | null): void {
    this.#at = at
    this.#requests = 0
  }

  get requests(): number {
    return this.#requests
  }

  readonly before = (_: FakeRequest): undefined | Promise<void> => {
    if (this.isGone) throw new Gone()
    this.#requests++
    if (this.#at === null || this.#requests < this.#at.nth || this.#at.isDone) return undefined
    if (this.#at.sleep === undefined) this.#die()
    // Whatever it does from then on waits with it.
    this.isAsleep = true
    return this.#at.sleep
  }

  readonly after = (_: FakeRequest): void => {
    if (this.isGone) throw new Gone()
    if (this.#at !== null && this.#requests >= this.#at.nth && this.#at.isDone) this.#die()
  }

  /** The same for one whose requests pass a proxy. */
  fate(): Fate {
    if (this.isGone) return 'dropBefore'
    this.#requests++
    if (this.#at === null || this.#requests < this.#at.nth) return 'pass'
    this.isGone = true
    return this.#at.isDone ? 'dropAfter' : 'dropBefore'
  }

  #die(): never {
    this.isGone = true
    throw new Gone()
  }
}

/** Waits are a hundredth of what they would be: what is waited for is somebody who will not come. */
const HURRY = 200

const hurriedTimers: Timers = {
  ...systemTimers,
  after: (ms, callback) => systemTimers.after(ms / HURRY, callback),
}

/** Time stands still unless it is moved; pauses are short. */
export function hurriedWorld(): VirtualWorld {
  return { ...virtualWorld(), timers: hurriedTimers }
}
