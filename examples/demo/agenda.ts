import type { VirtualWorld } from 'waybill/testing'

type Action = () => Promise<void>

/** What is going to happen in simulated time, and when. */
export class Agenda {
  readonly #world: VirtualWorld
  readonly #entries: { readonly at: number; readonly action: Action }[] = []

  constructor(world: VirtualWorld) {
    this.#world = world
  }

  in(ms: number, action: Action): void {
    const at = this.#world.clock.now() + ms
    const later = this.#entries.findIndex((entry) => entry.at > at)
    this.#entries.splice(later === -1 ? this.#entries.length : later, 0, { at, action })
  }

  /** Lets time pass until the next entry, or until `otherwise` if that is sooner, and does what is due then. */
  async goOn(otherwise: number | null): Promise<boolean> {
    const next = Math.min(
      this.#entries[0]?.at ?? Number.POSITIVE_INFINITY,
      otherwise ?? Number.POSITIVE_INFINITY,
    )
    if (next === Number.POSITIVE_INFINITY) return false
    await this.#world.advanceBy(Math.max(next - this.#world.clock.now(), 0))
    while (this.#entries[0] !== undefined && this.#entries[0].at <= next)
      await this.#entries.shift()?.action()
    return true
  }
}
