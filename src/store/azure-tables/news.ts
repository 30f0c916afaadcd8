// Hearing of what others write. Nobody tells: their lanes are looked at, often while something happens, and ever more seldom
// while nothing does. Only while somebody wants to know.
import type { Timer } from '../../world/timers.ts'
import type { Engine } from './engine.ts'
import type { LaneTails } from './lane-tails.ts'
import type { Lanes } from './lanes.ts'

const FIRST_POLL_MS = 100
const LINES_AT_ONCE = 50
/** How much longer the next pause is when nothing was heard. */
const GROWTH = 1.5

export interface NewsOptions {
  readonly engine: Engine
  readonly lanes: Lanes
  readonly tails: LaneTails
  /** The longest pause. */
  readonly pollMs: number
  readonly isWanted: () => boolean
  readonly onNews: () => void
}

export class News {
  readonly #options: NewsOptions
  readonly #seen = new Map<number, number>()
  #pauseMs = FIRST_POLL_MS
  #timer: Timer | null = null
  #looking: Promise<void> | null = null
  #isClosed = false

  constructor(options: NewsOptions) {
    this.#options = options
  }

  /** Somebody wants to know from now on. */
  begin(): void {
    this.#pauseMs = FIRST_POLL_MS
    if (this.#timer === null && this.#looking === null) this.#later()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#looking?.catch(() => {})
  }

  #later(): void {
    if (this.#isClosed || !this.#options.isWanted()) return
    this.#timer = this.#options.engine.timers.after(this.#pauseMs, () => {
      this.#timer = null
      this.#looking = this.#look().finally(() => {
        this.#looking = null
        this.#later()
      })
      this.#looking.catch(() => {})
    })
  }

  async #look(): Promise<void> {
    const { lanes, tails, pollMs, onNews } = this.#options
    let isNew = false
    try {
      await lanes.refreshNowAndThen()
      const others = lanes.numbers.filter((number) => lanes.held(number) === null)
      for (const lane of others) isNew = (await this.#lookAt(lane, tails)) || isNew
    } catch {
      // Whoever asks next is told what is wrong.
    }
    this.#pauseMs = isNew ? FIRST_POLL_MS : Math.min(pollMs, this.#pauseMs * GROWTH)
    if (isNew && !this.#isClosed) onNews()
  }

  async #lookAt(lane: number, tails: LaneTails): Promise<boolean> {
    let seq = this.#seen.get(lane)
    // What was there before anybody wanted to know is no news.
    if (seq === undefined) {
      seq = (await tails.ends()).get(lane) ?? 0
      this.#seen.set(lane, seq)
      return seq > 0
    }
    const lines = await tails.newer(lane, seq, LINES_AT_ONCE)
    for (const line of lines) tails.add(line)
    const last = lines.at(-1)
    if (last === undefined) return false
    this.#seen.set(lane, last.seq)
    return true
  }
}
