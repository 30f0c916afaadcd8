import type { Ledger } from '../ledger/ledger.ts'
import type { World } from '../world/world.ts'
import type { Service } from './service.ts'
import { WakefulLoop } from './wakeful-loop.ts'

/** Something is due and nobody could do it: a record that contradicts itself, say. It is not asked about all the time. */
const STUCK_MS = 1000

/** While there is news, schedules are looked at again at least so often: somebody may have changed one. */
const SCHEDULES_AFTER_MS = 1000

/** To get up for nothing now and then costs less than to ask exactly after every write. */
const OR_EARLIER = { orEarlier: true }

/**
 * Makes time pass: acknowledgements that never came, leases that ran out, backoffs and delays that are over, jobs whose
 * dependencies ended, schedules. It sleeps until the next of them, and looks again when something was written.
 */
export class Timekeeper implements Service {
  readonly name = 'timekeeper'
  readonly #ledger: Ledger
  readonly #world: World
  readonly #loop: WakefulLoop
  #schedulesReadAt = Number.NEGATIVE_INFINITY
  #scheduleDue: number | null = null

  constructor(ledger: Ledger, world: World) {
    this.#ledger = ledger
    this.#world = world
    this.#loop = new WakefulLoop(this.name, world, () => this.#turn())
  }

  start(): void {
    this.#loop.start((wake) => this.#ledger.onNews(wake))
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  get isStopped(): boolean {
    return this.#loop.isStopped
  }

  get restsUntil(): number | null {
    return this.#loop.restsUntil
  }

  onAsleep(listener: () => void): () => void {
    return this.#loop.onAsleep(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #turn(): Promise<number | null> {
    const { clock } = this.#world
    const due = await this.#ledger.nextDue(OR_EARLIER)
    const isDue = due !== null && due <= clock.now()
    const advanced = isDue ? await this.#ledger.advance() : 0
    const schedules = await this.#fireSchedules()
    const isStuck = isDue && advanced === 0
    // Whatever was written meanwhile is news, and then this is asked again.
    const next = advanced === 0 ? due : await this.#ledger.nextDue(OR_EARLIER)
    const timers = isStuck ? clock.now() + STUCK_MS : next
    return earliest(timers, schedules)
  }

  /** When to look at schedules again. */
  async #fireSchedules(): Promise<number | null> {
    const now = this.#world.clock.now()
    const isDue = this.#scheduleDue !== null && this.#scheduleDue <= now
    const again = this.#schedulesReadAt + SCHEDULES_AFTER_MS
    if (!isDue && now < again && now >= this.#schedulesReadAt) return earliest(again, this.#scheduleDue)
    const { nextDue } = await this.#ledger.schedules.fireDue(now)
    this.#schedulesReadAt = now
    this.#scheduleDue = nextDue
    return nextDue
  }
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}
