// The history as the screen shows it: the newest part, which grows as something happens, or a part further back. It reads pages
// at both ends, takes what the stream tells, and lets nothing be left out or come twice in between:
// whatever is told while a page is on its way waits for it, and what the page had is not taken again.
import type { HistoryRecord } from '../../api/live.ts'
import type { PageAnswer } from '../../lists/pages.ts'
import { LogBuffer } from './log-buffer.ts'

export interface PageAsked {
  readonly direction: 'asc' | 'desc'
  readonly after: string | undefined
  readonly limit: number
}

export interface FeedOptions {
  load(asked: PageAsked, signal: AbortSignal): Promise<PageAnswer<HistoryRecord>>
  matches(record: HistoryRecord): boolean
  /** Calls back soon, when it is time to show something. */
  readonly soon: (run: () => void) => void
  /** Somewhere in the log to begin at, with what was before and after; null for the newest. */
  readonly at: string | null
  readonly buffer?: LogBuffer
}

const PAGE = 500
/** A busy log grows while it is read. */
const NEWER = 1000
const AROUND = 250
const START = '0'
/** Records that wait for a page; more than that are read again. */
const MOST_WAITING = 20_000

export class LogFeed {
  readonly buffer: LogBuffer
  readonly #options: FeedOptions
  readonly #stop = new AbortController()
  readonly #listeners = new Set<() => void>()
  #waiting: HistoryRecord[] = []
  #older: string | null = null
  #newestSeq = 0
  #isFlushing = false
  /** What is held reaches up to now. */
  #isLive = false
  #isBehind = false

  version = 0
  status: 'loading' | 'ready' | 'failed' = 'loading'
  error: unknown = null
  isLoadingOlder = false
  isLoadingNewer = false
  /** How many have come since it began, shown or not. */
  arrived = 0
  /** Whether the reader is at the newest: then it is the oldest that are let go. */
  isFollowed = true

  constructor(options: FeedOptions) {
    this.#options = options
    this.buffer = options.buffer ?? new LogBuffer()
  }

  get hasOlder(): boolean {
    return this.#older !== null
  }

  get hasNewer(): boolean {
    return this.status === 'ready' && !this.#isLive
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(at: string | null = this.#options.at): Promise<void> {
    this.status = 'loading'
    this.error = null
    this.#changed()
    try {
      await (at === null ? this.#startAtEnd() : this.#startAt(at))
      this.status = 'ready'
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.status = 'failed'
      this.error = error
    }
    this.#takeWaiting()
    this.#changed()
  }

  close(): void {
    this.#stop.abort()
    this.#listeners.clear()
  }

  /** Something happened. */
  heard(record: HistoryRecord): void {
    if (!this.#options.matches(record)) return
    if (record.seq > this.#newestSeq) {
      this.#newestSeq = record.seq
      if (this.status === 'ready') this.arrived++
    }
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(record)
    else this.#isBehind = true
    this.#flushSoon()
  }

  /** Part of the history is gone, past its time. */
  heardGap(): void {
    this.buffer.noteGap()
    void this.catchUp()
  }

  /** The stream begins anew: what happened before it did is read. */
  async catchUp(): Promise<void> {
    if (this.status === 'failed') return this.start()
    if (this.status !== 'ready' || (!this.#isLive && !this.isFollowed)) return
    if (this.buffer.last === undefined) return this.start(null)
    this.#isLive = false
    await this.loadNewer()
    while (this.hasNewer && this.isFollowed && this.error === null) await this.loadNewer()
  }

  async loadOlder(): Promise<void> {
    if (this.isLoadingOlder || this.#older === null || this.status !== 'ready') return
    this.isLoadingOlder = true
    this.error = null
    this.#changed()
    try {
      while (this.#older !== null) {
        const page = await this.#load({ direction: 'desc', after: this.#older, limit: PAGE })
        this.#older = page.next
        if (this.buffer.prepend(page.items) > 0) break
      }
      if (this.buffer.isOver) {
        this.buffer.dropNewest()
        this.#isLive = false
      }
    } catch (error) {
      this.#failed(error)
    }
    this.isLoadingOlder = false
    this.#changed()
  }

  async loadNewer(): Promise<void> {
    const { last } = this.buffer
    if (this.isLoadingNewer || !this.hasNewer) return
    this.isLoadingNewer = true
    this.error = null
    this.#isBehind = false
    try {
      const page = await this.#load({ direction: 'asc', after: last?.cursor ?? START, limit: NEWER })
      this.buffer.append(page.items)
      this.#isLive = page.next === null && !this.#isBehind
    } catch (error) {
      this.#failed(error)
    }
    this.isLoadingNewer = false
    // Whoever reads on is at the end, or on the way there.
    if (this.buffer.isOver) this.#dropOldest()
    this.#takeWaiting()
    this.#changed()
  }

  /** To the newest, wherever it was before. */
  async toEnd(): Promise<void> {
    if (this.status === 'ready' && this.#isLive) return
    this.#older = null
    this.buffer.clear()
    await this.start(null)
  }

  async #startAtEnd(): Promise<void> {
    const page = await this.#load({ direction: 'desc', after: undefined, limit: PAGE })
    this.buffer.clear()
    this.buffer.prepend(page.items)
    this.#older = page.next
    this.#isLive = true
  }

  async #startAt(at: string): Promise<void> {
    const older = await this.#load({ direction: 'desc', after: at, limit: AROUND })
    const after = older.items[0]?.cursor ?? older.next ?? START
    const newer = await this.#load({ direction: 'asc', after, limit: AROUND })
    this.buffer.clear()
    this.buffer.prepend(older.items)
    this.buffer.append(newer.items)
    this.#older = older.next
    this.#isLive = newer.next === null
  }

  async #load(asked: PageAsked): Promise<PageAnswer<HistoryRecord>> {
    const { signal } = this.#stop
    const { items, next } = await this.#options.load(asked, signal)
    signal.throwIfAborted()
    const meant = items.filter((record) => this.#options.matches(record))
    for (const { seq } of meant) this.#newestSeq = Math.max(this.#newestSeq, seq)
    return { items: meant, next }
  }

  #failed(error: unknown): void {
    if (!this.#stop.signal.aborted) this.error = error
  }

  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#options.soon(() => {
      this.#isFlushing = false
      if (this.#stop.signal.aborted || this.status === 'loading' || this.isLoadingNewer) return
      this.#takeWaiting()
      this.#changed()
    })
  }

  #takeWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    if (this.#isBehind) this.#isLive = false
    this.#isBehind = false
    // What was told before is newer than anything held, and is read when somebody goes there.
    if (this.status !== 'ready' || !this.#isLive) return
    this.buffer.append(waiting)
    if (!this.buffer.isOver) return
    if (this.isFollowed) this.#dropOldest()
    else {
      this.buffer.dropNewest()
      this.#isLive = false
    }
  }

  #dropOldest(): void {
    this.buffer.dropOldest()
    this.#older = this.buffer.first?.cursor ?? null
  }

  #changed(): void {
    if (this.#stop.signal.aborted) return
    this.version++
    for (const listener of this.#listeners) listener()
  }
}
