// The heart of every service here: it does its work in turns, and sleeps in between until somebody wakes it or the time
// that the last turn named has come. It never asks on the off chance.
//
// - asleep: nothing to do. Left by `wake`, by the time that was named, or by `stop`.
// - in a turn: news that comes meanwhile is remembered, and there is another turn at once.
// - failed: a turn threw. There is another one after a pause, which grows from failure to failure.
// - stopped: for good.
import { LedgerClosed } from '../errors/input-errors.ts'
import type { Timer } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import { BUSY } from './service.ts'

/** Does what there is to do. Answers when there is more, in epoch milliseconds, if it knows; else null. */
export type Turn = () => Promise<number | null>

/** After the first failure it waits so long, then twice as long, and so on. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000

/** A clock may be set forward while we sleep, which timers do not notice: we look at it at least so often. */
const LONGEST_NAP_MS = 60_000

export class WakefulLoop {
  readonly #name: string
  readonly #turn: Turn
  readonly #world: Pick<World, 'clock' | 'timers' | 'logger'>
  #running: Promise<void> | null = null
  #unsubscribe: () => void = () => {}
  #isStopped = false
  #isInTurn = false
  #hasNews = false
  #rise: (() => void) | null = null
  #failures = 0
  /** Until when it sleeps if nobody wakes it; null when nobody knows, `BUSY` when it does not sleep. */
  #sleepsUntil: number | null = BUSY
  readonly #onAsleep = new Set<() => void>()

  constructor(name: string, world: Pick<World, 'clock' | 'timers' | 'logger'>, turn: Turn) {
    this.#name = name
    this.#world = world
    this.#turn = turn
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** It is at work, and will only come to what is new when that is done. */
  get isInTurn(): boolean {
    return this.#isInTurn
  }

  /** When it next has something to do, in epoch milliseconds, unless there is news; null when it does not know of any. */
  get restsUntil(): number | null {
    if (this.#isStopped) return null
    return this.#hasNews ? BUSY : this.#sleepsUntil
  }

  /** Calls back whenever it has nothing to do for the time being. Answers how to stop it. */
  onAsleep(listener: () => void): () => void {
    this.#onAsleep.add(listener)
    return () => this.#onAsleep.delete(listener)
  }

  /** `listen` is given a way to wake it, and answers how to stop listening. */
  start(listen: (wake: () => void) => () => void = () => () => {}): void {
    if (this.#isStopped || this.#running !== null) return
    this.#unsubscribe = listen(() => this.wake())
    this.#running = this.#run()
  }

  /** There may be something to do. */
  wake(): void {
    this.#hasNews = true
    this.#rise?.()
  }

  /** Resolves when the turn that is under way is over. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#rise?.()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#hasNews = false
      const next = await this.#tryTurn()
      if (!this.#hasNews) await this.#sleep(next)
    }
  }

  async #tryTurn(): Promise<number | null> {
    this.#isInTurn = true
    try {
      const next = await this.#turn()
      this.#failures = 0
      return next
    } catch (error) {
      if (error instanceof LedgerClosed) {
        this.#isStopped = true
        return null
      }
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS)
      this.#world.logger.error(
        { error, service: this.#name },
        `${this.#name} failed and tries again in ${pause} ms`,
      )
      // News would only make it fail sooner.
      this.#hasNews = false
      return this.#world.clock.now() + pause
    } finally {
      this.#isInTurn = false
    }
  }

  async #sleep(until: number | null): Promise<void> {
    this.#sleepsUntil = until
    for (const listener of this.#onAsleep) listener()
    while (!this.#isStopped && !this.#hasNews) {
      const left = until === null ? null : until - this.#world.clock.now()
      if (left !== null && left <= 0) break
      await this.#nap(left === null ? null : Math.min(left, LONGEST_NAP_MS))
    }
    this.#sleepsUntil = BUSY
  }

  async #nap(ms: number | null): Promise<void> {
    let timer: Timer | undefined
    await new Promise<void>((resolve) => {
      this.#rise = resolve
      if (ms !== null) timer = this.#world.timers.after(ms, resolve)
    })
    this.#rise = null
    timer?.cancel()
  }
}
