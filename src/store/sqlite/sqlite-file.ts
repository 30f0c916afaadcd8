import { LedgerClosed } from '../../errors/input-errors.ts'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import { DataSync } from '../../world/data-sync.ts'
import { heldPause } from '../../world/pause.ts'
import type { Timers } from '../../world/timers.ts'
import { Conflict, type Head, type OnSeen, type WriteSet, type Written } from '../tables/tables.ts'
import type { Folded } from '../tables/tail/tail.ts'
import { AtHand } from './at-hand.ts'
import type { Calls, Verb } from './calls.ts'
import type { Connection } from './connection.ts'
import { errorOf } from './errors.ts'
import { faultOf } from './fault.ts'
import { News } from './news.ts'
import { Thread } from './thread.ts'

/** Pages written, more or less, until what is in the write-ahead log is taken over. The first time it is made longer, too. */
const PAGES_TO_FIRST_CHECKPOINT = 500
const PAGES_TO_CHECKPOINT = 6000

/** Characters on a page, and pages that are changed for each that is put in its place. */
const PAGE_CHARACTERS = 4000
const PAGES_OF_FOLDED = 3

/** Characters for which the disk takes longer than another thread takes to be told. */
const WORTH_BEGINNING = 128 * 1024

export interface SqliteFileOptions {
  readonly path: string
  readonly busyMs: number
  readonly sessionMs: number
  readonly timers: Timers
}

/**
 * The file of a database as this process has it: what is small is done at hand; all else in a thread, which is made when it is first
 * needed. Whatever was written by either is made durable here, and nobody is shown it before.
 */
export class SqliteFile {
  readonly atHand: AtHand
  readonly #options: SqliteFileOptions
  readonly #log: DataSync
  readonly #news: News
  #thread: Promise<Thread> | null = null
  /** Calls to the thread that write, and those that put something of the tail where it is found. */
  #writing = 0
  #folds = 0
  /** How many of either came to an end. */
  #written = 0
  #seenWritten = 0
  #doing: PromiseWithResolvers<void> | null = null
  #unheard = false
  #pages = PAGES_TO_CHECKPOINT - PAGES_TO_FIRST_CHECKPOINT
  /** The end of the log as far as this process knows it. */
  #head: Head = { seq: 0, at: 0, records: 0, removed: 0 }
  #onNews: () => void = () => {}
  #failed: Error | null = null
  #closed: Promise<void> | null = null

  constructor(db: Connection, options: SqliteFileOptions) {
    const { path, timers, sessionMs } = options
    this.#options = options
    this.atHand = new AtHand(db, timers, sessionMs)
    this.#log = new DataSync(`${path}-wal`)
    this.#news = new News(path, db, timers, () => this.#hear())
  }

  get head(): Head {
    return this.#head
  }

  knows(head: Head): Head {
    if (head.seq >= this.#head.seq) this.#head = head
    return head
  }

  onNews(listener: () => void): void {
    this.#onNews = listener
  }

  mustWork(): void {
    if (this.#failed !== null) throw this.#failed
  }

  // At hand.

  here<R>(run: () => R): R {
    if (this.#closed !== null) throw new LedgerClosed()
    try {
      return run()
    } catch (error) {
      throw error instanceof Conflict ? error : errorOf(faultOf(error), this.#options.path)
    }
  }

  /** Who opens or closes the database elsewhere may be in the way for a moment. */
  read<R>(read: () => R): Promise<R> {
    return this.#shown(() => this.unlessBusy(read))
  }

  async unlessBusy<R>(run: () => R): Promise<R> {
    const { busyMs, timers } = this.#options
    for (let waited = 0; ; waited++) {
      try {
        return this.here(run)
      } catch (error) {
        if (!(error instanceof LedgerBusy) || waited >= busyMs) throw error
      }
      await (this.#folds > 0 ? this.threadDone() : heldPause(timers, 1))
    }
  }

  // In the thread.

  /** Whoever is writing there is not to be kept waiting. */
  get isThreadWriting(): boolean {
    return this.#writing > 0
  }

  /** Resolves when it has done something. */
  threadDone(): Promise<void> {
    this.#doing ??= Promise.withResolvers()
    return this.#doing.promise
  }

  async ask<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    if (this.#closed !== null) throw new LedgerClosed()
    const { path, busyMs, sessionMs } = this.#options
    this.#thread ??= Thread.open({ path, busyMs, sessionMs })
    const thread = await this.#thread.catch((error: unknown) => {
      this.#thread = null
      throw error
    })
    return thread.call(verb, ...given)
  }

  askToRead<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    return this.#shown(() => this.ask(verb, ...given))
  }

  async askToWrite<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    this.#writing++
    try {
      return await this.ask(verb, ...given)
    } finally {
      this.#writing--
      // From now on nobody is shown it before it is durable.
      if (verb !== 'take' && verb !== 'release') this.#log.wrote()
      this.#threadWrote()
    }
  }

  /** What the tail says is the same before and after it. */
  async fold(characters: number): Promise<Folded> {
    this.#folds++
    try {
      return await this.ask('fold', characters)
    } finally {
      this.#folds--
      this.wrotePages((PAGES_OF_FOLDED * characters) / PAGE_CHARACTERS)
      this.#threadWrote()
    }
  }

  // What is durable.

  /** It was written, and is so many characters long if that is known. Resolves when it is durable. */
  async lasting(
    written: Written,
    set: WriteSet,
    onSeen: OnSeen | undefined,
    characters = 0,
  ): Promise<Written> {
    const mark = this.#log.wrote()
    // There is as much to take in.
    if (characters >= WORTH_BEGINNING) this.#log.begin()
    this.#saw(written, set)
    this.#news.wrote()
    // Whoever takes what it made ready has done so a moment later, and both are made durable at once.
    if (onSeen?.() === true) await this.#options.timers.turn()
    if (!this.#log.atOnce(mark)) await this.#synced(mark)
    return written
  }

  /** Everything that is written by now is durable when it resolves. */
  lastingAll(): Promise<void> {
    return this.#synced(this.#log.wrote())
  }

  wroteCharacters(characters: number): void {
    this.wrotePages(characters / PAGE_CHARACTERS)
  }

  wrotePages(pages: number): void {
    this.#pages += pages
    if (this.#pages >= PAGES_TO_CHECKPOINT) this.#checkpoint()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#news.close()
    const thread = await this.#thread?.catch(() => null)
    await this.#log.settled()
    this.#log.close()
    this.atHand.close()
    // The last one to close takes over what is in the write-ahead log: that may be much.
    await thread?.close()
  }

  async #synced(mark: number): Promise<void> {
    try {
      await this.#log.until(mark)
    } catch (error) {
      // Whether it was written nobody can say, and what the system says next time is no more to be relied on.
      this.#failed ??= errorOf({ fault: 'io', message: String(error) }, this.#options.path)
      throw this.#failed
    }
  }

  /** Nobody is shown what may not last. What the thread has written is known only when it answers. */
  async #shown<R>(read: () => Promise<R>): Promise<R> {
    await this.#log.settled()
    const written = this.#written
    const found = await read()
    if (this.#writing > 0 || this.#written !== written) await this.lastingAll()
    else await this.#log.settled()
    return found
  }

  /** The log begins anew where it is: to write over it takes a fraction of the time that it takes to make it longer. */
  #checkpoint(): void {
    this.#pages = 0
    // Somebody is in the way, or it is closing: the next one does as much more.
    this.ask('checkpoint').catch(() => {})
  }

  #threadWrote(): void {
    this.#written++
    this.#doing?.resolve()
    this.#doing = null
    // After whoever wrote it has been told.
    if (this.#unheard) void this.#options.timers.turn().then(() => this.#news.tellAgain())
  }

  /** Whatever lies between what was known and what was written now is by others. */
  #saw({ head }: Written, { chunk }: WriteSet): void {
    const isNews = head.seq - (chunk?.places ?? 0) > this.#head.seq
    this.knows(head)
    if (isNews) this.#onNews()
  }

  /** Another connection has written: another process, or the thread. What the thread wrote is known when it answers. */
  #hear(): void {
    this.#unheard = this.#writing + this.#folds > 0
    if (this.#unheard || this.#closed !== null) return
    const isByThread = this.#written !== this.#seenWritten
    this.#seenWritten = this.#written
    if (isByThread) {
      const head = this.here(() => this.atHand.head())
      if (head.seq <= this.#head.seq) return
      this.#head = head
    }
    this.#onNews()
  }
}
