import type { AloneKind } from '../../core/aggregate.ts'
import type { ClaimKey, SlotKey } from '../../core/decision.ts'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import type { About, ChunkSelect, SketchSelect } from '../tables/log-parts.ts'
import * as T from '../tables/tables.ts'
import type { TailDriver } from '../tables/tail/tail.ts'
import type { Connection } from './connection.ts'
import { packSet, unpackJobs } from './packing.ts'
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts'
import { SqliteTail } from './sqlite-tail.ts'

/** Pages that even a small write in place changes, and how many more there are for a job. */
const LEAST_PAGES = 8
const PAGES_PER_NEW_JOB = 0.7
const PAGES_PER_JOB = 0.5

/** A large one counts for less than it writes: it is synced once for many, and several change the same pages. */
const MOST_PAGES = 500

/** A ledger in one file of SQLite, which several processes of one machine may have open. */
export class SqliteTables implements TailDriver {
  readonly tail: SqliteTail
  readonly #file: SqliteFile

  constructor(db: Connection, options: SqliteFileOptions) {
    this.#file = new SqliteFile(db, options)
    this.tail = new SqliteTail(this.#file, this)
  }

  async load(wanted: T.Wanted) {
    return this.#file.read(() => this.#file.atHand.load(wanted))
  }

  async head() {
    return this.#file.knows(await this.#file.read(() => this.#file.atHand.head()))
  }

  async nextDue() {
    return this.#file.read(() => this.#file.atHand.nextDue())
  }

  async pendingSignals() {
    return this.#file.read(() => this.#file.atHand.pendingSignals())
  }

  async write(set: T.WriteSet, onSeen?: T.OnSeen): Promise<T.Written> {
    const file = this.#file
    file.mustWork()
    const here = file.isThreadWriting ? null : file.here(() => file.atHand.write(set))
    return this.#lasting(here ?? (await file.askToWrite('write', packSet(set))), set, onSeen)
  }

  async take(work: T.TakeWork, wanted = T.NOTHING_WANTED): Promise<T.TakenWork> {
    const file = this.#file
    const taken = file.isThreadWriting ? null : this.#takeHere(work, wanted)
    if (taken === null) return this.#takeThere(work, wanted)
    const { jobs, delivered, also, session } = taken
    // There was nothing to take: whatever is asked for now, nothing is held for it.
    if (session === undefined) return this.#nothingTaken({ jobs, delivered, also })
    return {
      jobs,
      delivered,
      requests: [],
      also,
      load: async (wanted) => file.here(() => session.load(wanted)),
      write: async (set, onSeen) => {
        file.mustWork()
        const written = file.here(() => session.write(set))
        if (written === null) throw new T.Conflict('what was taken was kept for too long, and given back')
        return this.#lasting(written, set, onSeen)
      },
      release: async () => file.here(() => session.release()),
    }
  }

  async heads(select: T.ReadySelect) {
    return unpackJobs(await this.#file.askToRead('heads', select))
  }

  async headsAfter(select: T.NextSelect) {
    return (await this.#file.askToRead('headsAfter', select)).map(unpackJobs)
  }

  holders(slots: readonly SlotKey[]) {
    return this.#file.askToRead('holders', slots)
  }

  async counts() {
    return (await this.#file.read(() => this.#file.atHand.counts())) ?? this.#file.askToRead('counts')
  }

  findJobs(query: T.Find) {
    return this.#file.askToRead('findJobs', query)
  }

  async findRecords(kind: AloneKind, query: T.Find) {
    const found = await this.#file.read(() => this.#file.atHand.findRecords(kind, query))
    return found ?? this.#file.askToRead('findRecords', kind, query)
  }

  findSteps(query: T.Find) {
    return this.#file.askToRead('findSteps', query)
  }

  findOutbox(query: T.Find) {
    return this.#file.askToRead('findOutbox', query)
  }

  outboxRow(tenant_id: string, outbox_id: string) {
    return this.#file.askToRead('outboxRow', tenant_id, outbox_id)
  }

  chunksAbout(about: About) {
    return this.#file.askToRead('chunksAbout', about)
  }

  chunks(select: ChunkSelect) {
    return this.#file.askToRead('chunks', select)
  }

  sketches(select: SketchSelect) {
    return this.#file.askToRead('sketches', select)
  }

  claims(after: ClaimKey | null, limit: number) {
    return this.#file.askToRead('claims', after, limit)
  }

  async maintain(keepFrom: number | null) {
    const removed = await this.#file.askToWrite('maintain', keepFrom)
    await this.#file.lastingAll()
    return removed
  }

  onNews(listener: () => void): void {
    this.#file.onNews(listener)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  #takeHere(work: T.TakeWork, wanted: T.Wanted) {
    try {
      return this.#file.here(() => this.#file.atHand.take(work, wanted))
    } catch (error) {
      // The thread waits for its turn.
      if (error instanceof LedgerBusy) return null
      throw error
    }
  }

  async #takeThere(work: T.TakeWork, wanted: T.Wanted): Promise<T.TakenWork> {
    const file = this.#file
    const taken = await file.askToWrite('take', work, wanted)
    const { session, delivered, also } = taken
    const jobs = unpackJobs(taken.jobs)
    if (session === null) return this.#nothingTaken({ jobs, delivered, also })
    let isOver = false
    return {
      jobs,
      delivered,
      requests: [],
      also,
      load: (wanted) => file.ask('loadTaken', session, wanted),
      write: async (set, onSeen) => {
        file.mustWork()
        isOver = true
        return this.#lasting(await file.askToWrite('writeTaken', session, packSet(set)), set, onSeen)
      },
      release: async () => {
        if (isOver) return
        isOver = true
        await file.askToWrite('release', session)
      },
    }
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

  async #lasting(written: T.Written, set: T.WriteSet, onSeen: T.OnSeen | undefined): Promise<T.Written> {
    await this.#file.lasting(written, set, onSeen)
    this.#file.wrotePages(pagesOf(set))
    return written
  }
}

function pagesOf({ newJobs, jobs }: T.WriteSet): number {
  return Math.min(MOST_PAGES, LEAST_PAGES + newJobs.length * PAGES_PER_NEW_JOB + jobs.length * PAGES_PER_JOB)
}
