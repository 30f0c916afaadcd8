import type { VirtualWorld } from 'waybill/testing'

type Action = () => Promise<void>

/** How finely simulated time is divided: what falls due within a tick happens at its end, all of it at once. */
const TICK_MS = 500

/** What is going to happen in simulated time, and when. */
export class Agenda {
  readonly #world: VirtualWorld
  readonly #entries: { readonly at: number; readonly action: Action }[] = []

  constructor(world: VirtualWorld) {
    this.#world = world
  }

  in(ms: number, action: Action): void {
    const at = endOfTick(this.#world.clock.now() + ms)
    const later = this.#entries.findIndex((entry) => entry.at > at)
    this.#entries.splice(later === -1 ? this.#entries.length : later, 0, { at, action })
  }

  /**
   * Lets time pass until the next entry, or until `otherwise` if that is sooner, and does what is due then. Nobody
   * waits for anybody else: those who write at the same time share one write to the disk.
   */
  async goOn(otherwise: number | null): Promise<boolean> {
    const soonest = Math.min(
      this.#entries[0]?.at ?? Number.POSITIVE_INFINITY,
      otherwise ?? Number.POSITIVE_INFINITY,
    )
    if (soonest === Number.POSITIVE_INFINITY) return false
    const next = endOfTick(soonest)
    await this.#world.advanceBy(Math.max(next - this.#world.clock.now(), 0))
    const later = this.#entries.findIndex((entry) => entry.at > next)
    const due = this.#entries.splice(0, later === -1 ? this.#entries.length : later)
    await Promise.all(due.map(({ action }) => action()))
    return true
  }
}

function endOfTick(ms: number): number {
  return Math.ceil(ms / TICK_MS) * TICK_MS
}
