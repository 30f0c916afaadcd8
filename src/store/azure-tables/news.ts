// Hearing of what others write. Nobody tells: their lanes are looked at, often while something happens, and ever more seldom
// while nothing does. Only while somebody wants to know.
import type { Timer } from '../../world/timers.ts'
import type { Engine } from './engine.ts'
import type { LaneTails } from './lane-tails.ts'
import type { Lanes } from './lanes.ts'
import type { Line } from './line-columns.ts'

const FIRST_POLL_MS = 100
const LINES_AT_ONCE = 200
/** How much longer the next pause is when nothing was heard. */
const GROWTH = 1.5

export interface NewsOptions {
  readonly engine: Engine
  readonly lanes: Lanes
  readonly tails: LaneTails
  /** The longest pause. */
  readonly pollMs: number
  readonly isWanted: () => boolean
  /** A line that somebody else has written. */
  readonly onLine: (line: Line) => void
  /** A lane that was not looked at before: there may be anything. */
  readonly onUnknown: (lane: number) => void
  /** Something was heard. */
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
    const { lanes, pollMs, onNews } = this.#options
    let isNew = false
    try {
      await lanes.refreshNowAndThen()
      const others = lanes.numbers.filter((number) => lanes.held(number) === null)
      isNew = (await Promise.all(others.map((lane) => this.#lookAt(lane)))).includes(true)
    } catch {
      // Whoever asks next is told what is wrong.
    }
    this.#pauseMs = isNew ? FIRST_POLL_MS : Math.min(pollMs, this.#pauseMs * GROWTH)
    if (isNew && !this.#isClosed) onNews()
  }

  async #lookAt(lane: number): Promise<boolean> {
    const { tails, onLine, onUnknown } = this.#options
    const seq = this.#seen.get(lane)
    if (seq === undefined) {
      this.#seen.set(lane, await tails.end(lane))
      onUnknown(lane)
      return true
    }
    let last = seq
    for (let isMore = true; isMore; ) {
      const lines = await tails.newer(lane, last, LINES_AT_ONCE)
      for (const line of lines) onLine(line)
      last = lines.at(-1)?.seq ?? last
      isMore = lines.length === LINES_AT_ONCE
    }
    this.#seen.set(lane, last)
    return last > seq
  }
}
