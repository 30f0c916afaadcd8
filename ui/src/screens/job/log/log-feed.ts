// Reads a log: its end first, what comes as it comes, and what was before when somebody wants to see it.
import type { LogPiece } from '../../../../../src/orchestrator/logs/job-logs.ts'
import { ApiError } from '../../../api/client.ts'
import { LogBuffer } from './log-buffer.ts'

export type ReadPart = (
  part: { readonly offset: number; readonly limit: number } | { readonly tail: number },
  signal: AbortSignal,
) => Promise<LogPiece>

/** What can be seen of it now. */
export interface LogSeen {
  readonly status: 'loading' | 'missing' | 'failed' | 'live' | 'complete'
  readonly error: unknown
  readonly lines: number
  /** How many lines have come before the ones that were read first. */
  readonly earlier: number
  /** In bytes. */
  readonly size: number
  readonly isFromStart: boolean
  readonly isLoadingEarlier: boolean
  /** Of what there is, while all of it is read; null when it is not. */
  readonly progress: number | null
}

const TAIL_BYTES = 256 * 1024
const EARLIER_BYTES = 512 * 1024
const MOST_BYTES = 1024 * 1024
/** A log that is no longer is read as a whole, so that its lines have numbers. */
const WHOLE_BYTES = 4 * 1024 * 1024
const SOON_MS = 500
const LATEST_MS = 5000
const SLOWER = 1.6

const NOTHING_YET: LogSeen = {
  status: 'loading',
  error: null,
  lines: 0,
  earlier: 0,
  size: 0,
  isFromStart: false,
  isLoadingEarlier: false,
  progress: null,
}

export class LogFeed {
  readonly buffer = new LogBuffer()
  readonly #read: ReadPart
  readonly #listeners = new Set<() => void>()
  readonly #abort = new AbortController()
  #seen = NOTHING_YET
  #from = 0
  #next = 0
  #pause = SOON_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAsking = false
  /** Something has happened while it was asked. */
  #isPoked = false
  #earlier: Promise<void> | null = null
  #all: Promise<void> | null = null

  constructor(read: ReadPart) {
    this.#read = read
  }

  get seen(): LogSeen {
    return this.#seen
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#abort.abort()
  }

  /** Looks now: it begins, or something has happened to the job. */
  poke(): void {
    if (this.#seen.status === 'complete') return
    this.#isPoked = this.#isAsking
    if (this.#isAsking) return
    this.#pause = SOON_MS
    clearTimeout(this.#timer)
    this.#isAsking = true
    void this.#ask()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#isAsking = false
        if (this.#isPoked && !this.#abort.signal.aborted) this.poke()
      })
  }

  /** A piece of what is before everything that was read. */
  loadEarlier(): Promise<void> {
    if (this.#from === 0 || this.#seen.status === 'loading') return Promise.resolve()
    this.#earlier ??= this.#readBack(EARLIER_BYTES).finally(() => {
      this.#earlier = null
      this.#set({ isLoadingEarlier: false })
    })
    this.#set({ isLoadingEarlier: true })
    return this.#earlier
  }

  /** Everything from the first line on. */
  loadAll(): Promise<void> {
    this.#all ??= this.#readAll().finally(() => {
      this.#all = null
      this.#set({ progress: null })
    })
    return this.#all
  }

  async #ask(): Promise<void> {
    const { signal } = this.#abort
    const isFirst = this.#seen.status !== 'live'
    if (isFirst) this.#begin(await this.#read({ tail: TAIL_BYTES }, signal))
    else this.#goOn(await this.#read({ offset: this.#next, limit: MOST_BYTES }, signal))
  }

  #begin(piece: LogPiece): void {
    this.buffer.clear()
    this.#from = piece.offset
    this.#set({ earlier: 0, isFromStart: piece.offset === 0 })
    this.#goOn(piece)
    if (piece.offset > 0 && piece.size <= WHOLE_BYTES) void this.loadAll().catch(() => undefined)
  }

  #goOn({ text, next_offset, size, is_complete }: LogPiece): void {
    this.buffer.append(text)
    this.#next = next_offset
    this.#set({ status: is_complete ? 'complete' : 'live', error: null, size })
    if (is_complete) return
    const isMore = text !== '' && next_offset < size
    this.#pause = text === '' ? Math.min(LATEST_MS, this.#pause * SLOWER) : SOON_MS
    this.#timer = setTimeout(() => this.#askSlowly(), isMore ? 0 : this.#pause)
  }

  /** As `poke`, but for the pause. */
  #askSlowly(): void {
    const pause = this.#pause
    this.poke()
    this.#pause = pause
  }

  #failed(error: unknown): void {
    if (this.#abort.signal.aborted) return
    const isFirst = this.#seen.status !== 'live'
    if (error instanceof ApiError && error.status === 404) {
      this.#set({ status: 'missing', error })
      return
    }
    // The file is another one now, and shorter.
    const isOther = error instanceof ApiError && error.field === 'offset'
    this.#set({ status: isFirst || isOther ? 'failed' : 'live', error: isOther ? null : error })
    this.#timer = setTimeout(() => this.#askSlowly(), isOther ? 0 : LATEST_MS)
  }

  async #readAll(): Promise<void> {
    await this.#earlier
    while (this.#from > 0 && !this.#abort.signal.aborted) {
      this.#set({ progress: 1 - this.#from / Math.max(1, this.#seen.size) })
      await this.#readBack(MOST_BYTES)
    }
  }

  async #readBack(most: number): Promise<void> {
    const end = this.#from
    const wanted = Math.max(0, end - most)
    const texts: string[] = []
    let from = wanted
    // A piece ends with a line where it can: the rest of it is asked for until nothing is left between.
    for (let at = wanted; at < end; ) {
      const piece = await this.#read({ offset: at, limit: end - at }, this.#abort.signal)
      if (piece.next_offset <= at) throw new Error('The log has changed while it was read')
      if (at === wanted) from = piece.offset
      texts.push(piece.text)
      at = piece.next_offset
    }
    this.#from = from
    const added = this.buffer.prepend(texts.join(''))
    this.#set({ earlier: this.#seen.earlier + added, isFromStart: from === 0 })
  }

  #set(change: Partial<LogSeen>): void {
    this.#seen = { ...this.#seen, ...change, lines: this.buffer.lines }
    for (const listener of this.#listeners) listener()
  }
}
