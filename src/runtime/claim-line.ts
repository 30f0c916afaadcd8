// Those who wait for work of the same queues and tenants, first come, first served. Where the first gets nothing, none of
// the others would: so only the first tries when there is news, one more for each that got something, up to a few at once.
//
// - hopeful: there may be work, as far as anybody knows. Left when a try brings nothing and there was no news since it began.
// - without hope: until there is news, or the time at which a limit is free again. Who comes meanwhile need not try.
import type { Held } from '../core/pick.ts'
import type { Work } from '../ledger/claim.ts'
import type { Clock } from '../world/clock.ts'
import type { Timer, Timers } from '../world/timers.ts'
import { nextFree } from './load.ts'

/** Claims of one line under way: what one has claimed is written while the next is decided. */
const MOST_AT_ONCE = 8

export interface Waiter {
  readonly worker: string | undefined
  readonly limit: number
  /** Called once, with nothing when it waited in vain. */
  readonly answer: (works: readonly Work[]) => void
  readonly fail: (error: unknown) => void
}

export interface ClaimLineParts {
  /** Tries to get work for one of them, and says what is held back. */
  tryClaim(waiter: Waiter, onHeld: (held: readonly Held[]) => void): Promise<readonly Work[]>
  /** Its waiter was gone before it came. */
  giveBack(works: readonly Work[], waiter: Waiter): Promise<void>
  /** Is told of each claim that is under way: until it is over, given back or not. */
  track(claim: Promise<void>): void
  readonly timers: Timers
  readonly clock: Clock
}

interface Place {
  readonly nth: number
  isClaiming: boolean
  /** It has waited long enough. */
  isOver: boolean
}

export class ClaimLine {
  readonly #places = new Map<Waiter, Place>()
  readonly #parts: ClaimLineParts
  #arrivals = 0
  /** The last of those who know that there was nothing since they came. */
  #looked = 0
  #news = 0
  #isHopeful = true
  #atOnce = 1
  #claiming = 0
  #free: Timer | null = null

  constructor(parts: ClaimLineParts) {
    this.#parts = parts
  }

  /** Nobody waits, and nothing is claimed for anybody. */
  get isEmpty(): boolean {
    return this.#places.size === 0 && this.#claiming === 0
  }

  add(waiter: Waiter): void {
    const nth = ++this.#arrivals
    this.#places.set(waiter, { nth, isClaiming: false, isOver: false })
    if (!this.#isHopeful) this.#looked = nth
    this.#serve()
  }

  /** It has waited long enough: it gets what is being claimed for it, and nothing if there is nothing. */
  over(waiter: Waiter): void {
    const place = this.#places.get(waiter)
    if (place === undefined) return
    place.isOver = true
    this.#answerInVain()
  }

  /** It is gone, and what is being claimed for it is given back. */
  leave(waiter: Waiter): void {
    if (this.#places.delete(waiter)) waiter.answer([])
  }

  leaveAll(): void {
    for (const waiter of [...this.#places.keys()]) this.leave(waiter)
    this.#free?.cancel()
  }

  /** There may be work. */
  wake(): void {
    this.#news++
    this.#isHopeful = true
    this.#serve()
  }

  #serve(): void {
    for (const [waiter, place] of this.#places) {
      if (!this.#isHopeful || this.#claiming >= this.#atOnce) return
      if (!place.isClaiming) this.#parts.track(this.#claimFor(waiter, place))
    }
  }

  async #claimFor(waiter: Waiter, place: Place): Promise<void> {
    const [news, arrivals] = [this.#news, this.#arrivals]
    let held: readonly Held[] = []
    place.isClaiming = true
    this.#claiming++
    try {
      const works = await this.#parts.tryClaim(waiter, (all) => {
        held = all
      })
      if (works.length === 0) this.#foundNothing(news, arrivals, held)
      else await this.#found(works, waiter)
    } catch (error) {
      this.#failed(error)
    } finally {
      place.isClaiming = false
      this.#claiming--
    }
    this.#answerInVain()
    this.#serve()
  }

  async #found(works: readonly Work[], waiter: Waiter): Promise<void> {
    this.#atOnce = Math.min(2 * this.#atOnce, MOST_AT_ONCE)
    if (this.#places.delete(waiter)) waiter.answer(works)
    else await this.#parts.giveBack(works, waiter)
  }

  #foundNothing(news: number, arrivals: number, held: readonly Held[]): void {
    this.#atOnce = 1
    this.#looked = Math.max(this.#looked, arrivals)
    if (news !== this.#news) return
    this.#isHopeful = false
    this.#looked = this.#arrivals
    this.#wakeAt(nextFree(held, null))
  }

  #wakeAt(time: number | null): void {
    const { timers, clock } = this.#parts
    this.#free?.cancel()
    this.#free = time === null ? null : timers.after(time - clock.now(), () => this.wake())
  }

  /** The others would fare no better. */
  #failed(error: unknown): void {
    this.#atOnce = 1
    for (const waiter of [...this.#places.keys()]) {
      this.#places.delete(waiter)
      waiter.fail(error)
    }
  }

  #answerInVain(): void {
    for (const [waiter, { isOver, isClaiming, nth }] of [...this.#places]) {
      if (isOver && !isClaiming && nth <= this.#looked) this.leave(waiter)
    }
  }
}
