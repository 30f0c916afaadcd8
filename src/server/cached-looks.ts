import { SECOND_MS } from '../core/time.ts'
import type { Clock } from '../world/clock.ts'

interface Look {
  readonly answer: Promise<unknown>
  /** Epoch milliseconds; null while it is under way. */
  done: { readonly at: number; readonly until: number } | null
}

/** An answer is kept for so long unless told otherwise. */
const LEAST_MS = SECOND_MS / 2

/** And for so many times as long as it took: looking takes up a tenth of the time at most. */
const SHARE = 10

/** Answers that are kept. */
const MOST_KEPT = 200

/**
 * Answers that take a look at thousands of records, kept for a while. Whoever asks for the same thing meanwhile gets the same
 * answer, and while somebody looks nobody else does. A look that fails is not kept.
 */
export class CachedLooks {
  readonly #clock: Clock
  readonly #most: number
  readonly #looks = new Map<string, Look>()

  constructor(clock: Clock, most: number = MOST_KEPT) {
    this.#clock = clock
    this.#most = most
  }

  /** Everything that the answer depends on has to be in the key. It is kept for `leastMs` at least. */
  async get<T>(key: readonly unknown[], read: () => Promise<T>, leastMs: number = LEAST_MS): Promise<T> {
    const name = JSON.stringify(key)
    const known = this.#looks.get(name)
    if (known !== undefined && this.#isGood(known)) return known.answer as Promise<T>
    this.#makeRoom()
    const look: Look = { answer: this.#look(name, read, leastMs), done: null }
    // Again at the end: what was asked for longest ago is forgotten first.
    this.#looks.delete(name)
    this.#looks.set(name, look)
    return look.answer as Promise<T>
  }

  async #look<T>(name: string, read: () => Promise<T>, leastMs: number): Promise<T> {
    const begun = this.#clock.now()
    try {
      const answer = await read()
      const at = this.#clock.now()
      const look = this.#looks.get(name)
      if (look !== undefined) look.done = { at, until: at + Math.max(leastMs, SHARE * (at - begun)) }
      return answer
    } catch (error) {
      this.#looks.delete(name)
      throw error
    }
  }

  /** A clock that was set back says nothing of how long ago it was. */
  #isGood({ done }: Look): boolean {
    if (done === null) return true
    const now = this.#clock.now()
    return now >= done.at && now < done.until
  }

  #makeRoom(): void {
    for (const [name, look] of this.#looks) {
      if (this.#looks.size < this.#most && this.#isGood(look)) continue
      // Those who wait for one that is under way get it all the same.
      this.#looks.delete(name)
    }
  }
}
