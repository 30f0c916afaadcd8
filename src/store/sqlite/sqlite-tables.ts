import type { AloneKind } from '../../core/aggregate.ts'
import type { ClaimKey, SlotKey } from '../../core/decision.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import { DataSync } from '../../world/data-sync.ts'
import { heldPause } from '../../world/pause.ts'
import type { Timers } from '../../world/timers.ts'
import * as T from '../tables/tables.ts'
import { AtHand } from './at-hand.ts'
import type { Calls, Verb } from './calls.ts'
import type { Connection } from './connection.ts'
import { errorOf } from './errors.ts'
import { faultOf } from './fault.ts'
import { MOST_NEW_CLAIMS } from './new-claims.ts'
import { News } from './news.ts'
import { packSet, unpackJobs } from './packing.ts'
import { Thread } from './thread.ts'

/** Pages written, more or less, until what is in the write-ahead log is taken over. */
const PAGES_TO_CHECKPOINT = 2000

/** Pages that even a small write changes, and how many more there are for a job. */
const LEAST_PAGES = 8
const PAGES_PER_NEW_JOB = 0.7
const PAGES_PER_JOB = 0.5

/** A large one counts for less than it writes: it is synced once for many, and several change the same pages. */
const MOST_PAGES = 500

export interface SqliteTablesOptions {
  readonly path: string
  readonly busyMs: number
  readonly sessionMs: number
  readonly timers: Timers
}

/**
 * A ledger in one file of SQLite, which several processes of one machine may have open. What is small is done at hand; all
 * else in a thread, which is made when it is first needed.
 */
export class SqliteTables implements T.Tables {
  readonly #options: SqliteTablesOptions
  readonly #atHand: AtHand
  readonly #log: DataSync
  readonly #news: News
  #thread: Promise<Thread> | null = null
  /** Calls to the thread that write, and how many of them came to an end. */
  #writing = 0
  #written = 0
  #seenWritten = 0
  #unheard = false
  #pages = 0
  /** Claims that are new, as far as this process knows; null before it asked. */
  #claims: number | null = null
  /** The last place of the log that this process knows of. */
  #seq = 0
  #onNews: () => void = () => {}
  #failed: Error | null = null
  #closed: Promise<void> | null = null

  constructor(db: Connection, options: SqliteTablesOptions) {
    const { path, timers, sessionMs } = options
    this.#options = options
    this.#atHand = new AtHand(db, timers, sessionMs)
    this.#log = new DataSync(`${path}-wal`)
    this.#news = new News(path, db, timers, () => this.#hear())
  }

  async load(wanted: T.Wanted) {
    return this.#read(() => this.#atHand.load(wanted))
  }

  async head() {
    const head = await this.#read(() => this.#atHand.head())
    this.#seq = Math.max(this.#seq, head.seq)
    return head
  }

  async nextDue() {
    return this.#read(() => this.#atHand.nextDue())
  }

  async pendingSignals() {
    return this.#read(() => this.#atHand.pendingSignals())
  }

  async write(set: T.WriteSet, onSeen?: T.OnSeen): Promise<T.Written> {
    this.#mustWork()
    // Whoever is writing in the thread is not to be kept waiting.
    const here = this.#writing > 0 ? null : this.#here(() => this.#atHand.write(set))
    return this.#lasting(here ?? (await this.#askToWrite('write', packSet(set))), set, onSeen)
  }

  async take(work: T.TakeWork, wanted = T.NOTHING_WANTED): Promise<T.TakenWork> {
    const taken = this.#writing > 0 ? null : this.#takeHere(work, wanted)
    if (taken === null) return this.#takeThere(work, wanted)
    const { jobs, delivered, also, session } = taken
    // There was nothing to take: whatever is asked for now, nothing is held for it.
    if (session === undefined) return this.#nothingTaken({ jobs, delivered, also })
    return {
      jobs,
      delivered,
      requests: [],
      also,
      load: async (wanted) => this.#here(() => session.load(wanted)),
      write: async (set, onSeen) => {
        this.#mustWork()
        const written = this.#here(() => session.write(set))
        if (written === null) throw new T.Conflict('what was taken was kept for too long, and given back')
        return this.#lasting(written, set, onSeen)
      },
      release: async () => this.#here(() => session.release()),
    }
  }

  heads(select: T.ReadySelect) {
    return this.#askToRead('heads', select)
  }

  holders(slots: readonly SlotKey[]) {
    return this.#askToRead('holders', slots)
  }

  async counts() {
    return (await this.#read(() => this.#atHand.counts())) ?? this.#askToRead('counts')
  }

  findJobs(query: T.Find) {
    return this.#askToRead('findJobs', query)
  }

  async findRecords(kind: AloneKind, query: T.Find) {
    const found = await this.#read(() => this.#atHand.findRecords(kind, query))
    return found ?? this.#askToRead('findRecords', kind, query)
  }

  findSteps(query: T.Find) {
    return this.#askToRead('findSteps', query)
  }

  findOutbox(query: T.Find) {
    return this.#askToRead('findOutbox', query)
  }

  outboxRow(tenant_id: string, outbox_id: string) {
    return this.#askToRead('outboxRow', tenant_id, outbox_id)
  }

  chunksAbout(about: T.About) {
    return this.#askToRead('chunksAbout', about)
  }

  chunks(select: T.ChunkSelect) {
    return this.#askToRead('chunks', select)
  }

  sketches(select: T.SketchSelect) {
    return this.#askToRead('sketches', select)
  }

  claims(after: ClaimKey | null, limit: number) {
    return this.#askToRead('claims', after, limit)
  }

  async maintain(keepFrom: number | null) {
    const removed = await this.#askToWrite('maintain', keepFrom)
    await this.#synced(this.#log.wrote())
    return removed
  }

  onNews(listener: () => void): void {
    this.#onNews = listener
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
    this.#atHand.close()
    // The last one to close takes over what is in the write-ahead log: that may be much.
    await thread?.close()
  }

  #nothingTaken(taken: Pick<T.TakenWork, 'jobs' | 'delivered' | 'also'>): T.TakenWork {
    return {
      ...taken,
      requests: [],
      load: (wanted) => this.load(wanted),
      write: (set, onSeen) => this.write(set, onSeen),
      release: async () => {},
    }
  }

  async #takeThere(work: T.TakeWork, wanted: T.Wanted): Promise<T.TakenWork> {
    const taken = await this.#askToWrite('take', work, wanted)
    const { session, delivered, also } = taken
    const jobs = unpackJobs(taken.jobs)
    if (session === null) return this.#nothingTaken({ jobs, delivered, also })
    let isOver = false
    return {
      jobs,
      delivered,
      requests: [],
      also,
      load: (wanted) => this.#ask('loadTaken', session, wanted),
      write: async (set, onSeen) => {
        this.#mustWork()
        isOver = true
        return this.#lasting(await this.#askToWrite('writeTaken', session, packSet(set)), set, onSeen)
      },
      release: async () => {
        if (isOver) return
        isOver = true
        await this.#askToWrite('release', session)
      },
    }
  }

  /** It was written. Resolves when it is durable. */
  async #lasting(written: T.Written, set: T.WriteSet, onSeen: T.OnSeen | undefined): Promise<T.Written> {
    const mark = this.#log.wrote()
    this.#saw(written, set)
    this.#news.wrote()
    // Whoever takes what it made ready has done so a moment later, and both are made durable at once.
    if (onSeen?.() === true) await this.#options.timers.turn()
    await this.#synced(mark)
    this.#pages += pagesOf(set)
    if (this.#pages >= PAGES_TO_CHECKPOINT) this.#checkpoint()
    if (set.claims.length > 0 && this.#closed === null) this.#claimed(set.claims.length)
    return written
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

  #mustWork(): void {
    if (this.#failed !== null) throw this.#failed
  }

  /** The log begins anew where it is: to write over it takes a fraction of the time that it takes to make it longer. */
  #checkpoint(): void {
    this.#pages = 0
    // Somebody is in the way, or it is closing: the next one does as much more.
    this.#ask('checkpoint').catch(() => {})
  }

  #claimed(count: number): void {
    this.#claims =
      this.#claims === null ? this.#here(() => this.#atHand.countNewClaims()) : this.#claims + count
    if (this.#claims < MOST_NEW_CLAIMS) return
    this.#claims = 0
    // That changes many pages. If somebody is in the way, it is done another time.
    void this.#askToWrite('placeClaims').then(
      () => this.#checkpoint(),
      () => {},
    )
  }

  /** Who opens or closes the database elsewhere may be in the way for a moment. */
  #read<R>(read: () => R): Promise<R> {
    const { busyMs, timers } = this.#options
    return this.#shown(async () => {
      for (let waited = 0; ; waited++) {
        try {
          return this.#here(read)
        } catch (error) {
          if (!(error instanceof LedgerBusy) || waited >= busyMs) throw error
        }
        await heldPause(timers, 1)
      }
    })
  }

  /** Nobody is shown what may not last. What the thread has written is known only when it answers. */
  async #shown<R>(read: () => Promise<R>): Promise<R> {
    await this.#log.settled()
    const written = this.#written
    const found = await read()
    if (this.#writing > 0 || this.#written !== written) await this.#synced(this.#log.wrote())
    else await this.#log.settled()
    return found
  }

  #takeHere(work: T.TakeWork, wanted: T.Wanted) {
    try {
      return this.#here(() => this.#atHand.take(work, wanted))
    } catch (error) {
      // The thread waits for its turn.
      if (error instanceof LedgerBusy) return null
      throw error
    }
  }

  #here<R>(run: () => R): R {
    if (this.#closed !== null) throw new LedgerClosed()
    try {
      return run()
    } catch (error) {
      throw errorOf(faultOf(error), this.#options.path)
    }
  }

  #askToRead<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    return this.#shown(() => this.#ask(verb, ...given))
  }

  async #ask<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    if (this.#closed !== null) throw new LedgerClosed()
    const { path, busyMs, sessionMs } = this.#options
    this.#thread ??= Thread.open({ path, busyMs, sessionMs })
    const thread = await this.#thread.catch((error: unknown) => {
      this.#thread = null
      throw error
    })
    return thread.call(verb, ...given)
  }

  async #askToWrite<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    this.#writing++
    try {
      return await this.#ask(verb, ...given)
    } finally {
      this.#writing--
      this.#written++
      // From now on nobody is shown it before it is durable.
      if (verb !== 'take' && verb !== 'release') this.#log.wrote()
      // After whoever wrote it has been told.
      if (this.#unheard) void this.#options.timers.turn().then(() => this.#news.tellAgain())
    }
  }

  /** Whatever lies between what was known and what was written now is by others. */
  #saw({ head }: T.Written, { chunk }: T.WriteSet): void {
    const isNews = head.seq - (chunk?.places ?? 0) > this.#seq
    this.#seq = Math.max(this.#seq, head.seq)
    if (isNews) this.#onNews()
  }

  /** Another connection has written: another process, or the thread. What the thread wrote is known when it answers. */
  #hear(): void {
    this.#unheard = this.#writing > 0
    if (this.#unheard || this.#closed !== null) return
    const isByThread = this.#written !== this.#seenWritten
    this.#seenWritten = this.#written
    if (isByThread) {
      const { seq } = this.#here(() => this.#atHand.head())
      if (seq <= this.#seq) return
      this.#seq = seq
    }
    this.#onNews()
  }
}

function pagesOf({ newJobs, jobs }: T.WriteSet): number {
  return Math.min(MOST_PAGES, LEAST_PAGES + newJobs.length * PAGES_PER_NEW_JOB + jobs.length * PAGES_PER_JOB)
}
