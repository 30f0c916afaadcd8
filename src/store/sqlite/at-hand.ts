import type { AloneKind } from '../../core/aggregate.ts'
import type { Timer, Timers } from '../../world/timers.ts'
import type { CountEntry } from '../live/state-counts.ts'
import {
  type Find,
  type Head,
  type Loaded,
  NOTHING_LOADED,
  type RecordRow,
  type TakeWork,
  type Wanted,
  type WriteSet,
  type Written,
} from '../tables/tables.ts'
import type { PartForm } from '../tables/tail/part-forms.ts'
import { setIn } from '../tables/tail/part-text.ts'
import type { AppendOptions, CountsUpTo, Mark, Part } from '../tables/tail/tail.ts'
import type { Connection, Value } from './connection.ts'
import { faultOf } from './fault.ts'
import { findRecords } from './find-records.ts'
import { load } from './load.ts'
import { countsUpTo } from './log.ts'
import { nextDue, pendingSignals } from './small-reads.ts'
import {
  append,
  appendChecked,
  appendFormed,
  endOf,
  foldedOf,
  hasTail,
  headOf,
  keepForm,
  needsTransaction,
  tailRows,
} from './tail.ts'
import { countOf, countOfWork, select, type Taken } from './take.ts'
import { write } from './write.ts'

/** What is more than this is left to the thread. */
const FEW_ROWS = 8
const LITTLE_TEXT = 64 * 1024
const MOST_COUNTS = 200

type Appending = Pick<AppendOptions, 'isAwaited' | 'formed'>

interface Session {
  readonly timer: Timer
}

/**
 * The database in the thread of whoever asks. To hand a question to another thread and an answer back takes longer than most
 * small ones do; so those are answered here, and small writes are made here while the disk is quick. Null says that it is not
 * for here: there is much of it, or somebody else is writing.
 */
export class AtHand {
  readonly #db: Connection
  readonly #timers: Timers
  readonly #sessionMs: number
  #session: Session | null = null

  constructor(db: Connection, timers: Timers, sessionMs: number) {
    this.#db = db
    this.#timers = timers
    this.#sessionMs = sessionMs
  }

  load(wanted: Wanted): Loaded {
    return this.#reading(() => load(this.#db, wanted))
  }

  head(): Head {
    const { seq, at, records, removed } = headOf(this.#db)
    return { seq, at, records, removed }
  }

  end(): Mark {
    return endOf(this.#db)
  }

  hasTail(): boolean {
    return hasTail(this.#db)
  }

  /** Null while something is in the tail. */
  mark(): Mark | null {
    return this.#reading(() => (hasTail(this.#db) ? null : endOf(this.#db)))
  }

  isAwaited(): boolean {
    return countOf(this.#db, 'wait', 1) > 0
  }

  /** Null when it is not in the tail any more, or something was written in place. */
  since({ turn, seq }: Mark): readonly Part[] | null {
    return this.#reading(() => {
      const folded = foldedOf(this.#db)
      if (folded.turn !== turn || folded.seq > seq) return null
      return Array.from(tailRows(this.#db, seq), ({ first_seq, part }) => ({ first_seq, set: setIn(part) }))
    })
  }

  /** Others who write are waited for by whoever asks. Answers how many characters it took. */
  append(set: WriteSet, after: Mark, { isAwaited, formed }: Appending): number {
    if (formed !== null) return appendFormed(this.#db, set, formed, after)
    if (!needsTransaction(set, isAwaited)) return append(this.#db, set, after)
    this.#db.begin()
    try {
      const characters = appendChecked(this.#db, set, after, isAwaited)
      this.#db.commit()
      return characters
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  keepForm(form: PartForm): void {
    keepForm(this.#db, form)
  }

  nextDue(): number | null {
    return this.#reading(() => nextDue(this.#db))
  }

  pendingSignals(): number {
    return pendingSignals(this.#db)
  }

  counts(): readonly CountEntry[] | null {
    return this.countsUpTo()?.counts ?? null
  }

  countsUpTo(): CountsUpTo | null {
    return this.#reading(() => (hasFew(this.#db, 'state_count', MOST_COUNTS) ? countsUpTo(this.#db) : null))
  }

  /** Schedules and the like: there are few, and whoever keeps time asks for them when a ledger is opened. */
  findRecords(kind: AloneKind, query: Find): readonly RecordRow[] | null {
    return this.#reading(() =>
      hasFew(this.#db, 'record WHERE kind = ?', FEW_ROWS, kind) ? findRecords(this.#db, kind, query) : null,
    )
  }

  write(set: WriteSet): Written | null {
    return isLittle(set) && this.#begin() ? this.#writeNow(set) : null
  }

  /** Answers with nothing taken when there is nothing. */
  take(
    work: TakeWork,
    also: Wanted,
  ): (Taken & { readonly also: Loaded; readonly session?: TakenSession }) | null {
    if (hasTail(this.#db)) return null
    const count = countOfWork(this.#db, work, FEW_ROWS + 1)
    if (count === 0) return { jobs: [], delivered: new Map(), also: NOTHING_LOADED }
    if (count > FEW_ROWS || !this.#begin()) return null
    try {
      const taken = { ...select(this.#db, work), also: load(this.#db, also) }
      if (taken.jobs.length > 0) return { ...taken, session: this.#open() }
      this.#rollBack()
      return taken
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  close(): void {
    this.#end()
    this.#rollBack()
    this.#db.close()
  }

  #open(): TakenSession {
    const timer = this.#timers.after(this.#sessionMs, () => this.#giveBack(session))
    const session: Session = { timer }
    this.#session = session
    return {
      load: (wanted) => load(this.#db, wanted),
      write: (set) => {
        if (this.#session !== session) return null
        this.#end()
        return this.#writeNow(set)
      },
      release: () => this.#giveBack(session),
    }
  }

  #giveBack(session: Session): void {
    if (this.#session !== session) return
    this.#end()
    this.#rollBack()
  }

  #end(): void {
    this.#session?.timer.cancel()
    this.#session = null
  }

  /** False when others are writing, also others here. */
  #begin(): boolean {
    if (this.#session !== null) return false
    try {
      this.#db.begin()
      return true
    } catch (error) {
      if (faultOf(error).fault === 'busy') return false
      throw error
    }
  }

  #writeNow(set: WriteSet): Written {
    try {
      const written = write(this.#db, set)
      this.#db.commit()
      return written
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** What is read is all of one moment. */
  #reading<T>(read: () => T): T {
    return this.#db.isWithin ? read() : this.#db.within(read)
  }

  #rollBack(): void {
    if (this.#db.isWithin) this.#db.run('ROLLBACK')
  }
}

export interface TakenSession {
  load(wanted: Wanted): Loaded
  /** Null when it was kept for too long, and given back. */
  write(set: WriteSet): Written | null
  release(): void
}

function hasFew(db: Connection, rows: string, few: number, ...values: readonly Value[]): boolean {
  return countOf(db, rows, few + 1, ...values) <= few
}

function isLittle({ newJobs, jobs, records, rows, chunk }: WriteSet): boolean {
  if (newJobs.length + jobs.length + records.length + rows.length > FEW_ROWS) return false
  let length = chunk?.entries.length ?? 0
  for (const { fixed } of newJobs) length += fixed.length
  for (const { moving } of jobs) length += moving.length
  for (const { body } of records) length += body.length
  for (const { body } of rows) length += body.length
  return length <= LITTLE_TEXT
}
