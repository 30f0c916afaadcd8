import type { CountEntry } from '../../live/state-counts.ts'
import {
  Conflict,
  type Loaded,
  type OnSeen,
  type Tables,
  type Wanted,
  type WriteSet,
  type Written,
} from '../tables.ts'
import type { FormedPart, PartForm } from './part-forms.ts'

/**
 * Where the log ends, and how often something was written in place. As long as both are what they were, nobody has written. That
 * something was put from the tail where it is found changes neither.
 */
export interface Mark {
  readonly turn: number
  readonly seq: number
}

/** A write as it stands in the tail. */
export interface Part {
  readonly first_seq: number
  readonly set: WriteSet
}

export interface Folded {
  /** Up to here everything is where it is found. */
  readonly seq: number
  /** There is nothing in the tail. */
  readonly isAll: boolean
  /** After a crash it may be in the tail again, unless something that was sent after this was said is durable. */
  readonly mayReturn?: boolean | undefined
}

export interface AppendOptions {
  readonly onSeen: OnSeen
  /** Somebody may wait for a signal: whether it is one of its own is to be looked up. */
  readonly isAwaited: boolean
  /** Nothing else of this process is on its way to the end: what comes before it is there. */
  readonly isAlone: boolean
  /** The same by a form that is in the database; null when there is none. */
  readonly formed: FormedPart | null
}

/**
 * The end of the log, as a driver keeps it. A write is added to it whole, as one row, and put later into the tables where things
 * are found, together with others: a row there touches pages all over the database, and many at once touch few more than one; and
 * what a later write changes again is never put there at all.
 *
 * What stands in the tail is written, and durable. So whoever looks into the tables puts everything there first; but for a process
 * that knows what is in the tail, for it wrote it or has read it.
 */
export interface Tail {
  /** After it has heard of others, a process writes in place for so long: they may go on. */
  readonly apartMs: number
  /** Characters that are put where they are found at once, while somebody may want to write: nobody is to wait for long. */
  readonly atOnce: number
  /** Characters that may stay there while somebody writes again and again: more than these are put where they are found all the same. */
  readonly much: number
  /**
   * When there is more than this, whoever adds to it waits until there is less: it is kept in mind, and whoever opens the ledger
   * after a crash puts all of it in its place first.
   */
  readonly most: number
  /** Puts everything where it is found, unless others add too much meanwhile, and says up to where it is. */
  mark(): Promise<Mark>
  /** Where the log ends just now. */
  end(): Promise<Mark>
  /** Whether somebody waits for a signal. */
  isAwaited(): Promise<boolean>
  /**
   * Adds a write to the end. Where that is not as the mark says, nothing is changed, and it throws `Moved`; where somebody waits for
   * one of its signals, `Awaited`; and `Conflict` where somebody owns one of its claims.
   */
  append(set: WriteSet, after: Mark, options: AppendOptions): Promise<Written>
  /** Puts a form into the database. It stays until somebody writes in place. */
  keepForm(form: PartForm): Promise<void>
  /** What was added behind the mark, in order; null when something was written in place, or nobody can say. */
  since(mark: Mark): Promise<readonly Part[] | null>
  /**
   * Puts some of it where it is found, the oldest first.
   *
   * @param characters how much of it, more or less
   * @param mayReturn nobody waits for it to be durable
   */
  fold(characters: number, mayReturn?: boolean): Promise<Folded>
  /** Nothing is in the tail when it resolves, or what is read next sees to that itself. */
  settled(): Promise<void>
  /** What is where it is found, whatever is in the tail. */
  load(wanted: Wanted): Promise<Loaded>
  headsAfter: Tables['headsAfter']
  findRecords: Tables['findRecords']
  nextDue: Tables['nextDue']
  /** Counts of what is where it is found, and up to where that is. */
  counts(): Promise<CountsUpTo>
}

export interface CountsUpTo {
  readonly seq: number
  readonly counts: readonly CountEntry[]
}

/** Tables with a tail. By themselves they write in place, and read when everything is there. */
export interface TailDriver extends Tables {
  readonly tail: Tail
}

/** The log does not end where it was taken to end: others have written. */
export class Moved extends Conflict {}

/** Somebody waits for one of its signals. It can be written in place only, where they are told. */
export class Awaited extends Conflict {}

/** What a write says of ways to wake somebody, or of others' requests, is written in place: there it is looked for all the time. */
export function mayBeAppended({ chunk, waits, refusals, delivered, inbox }: WriteSet): boolean {
  return (
    chunk !== null &&
    waits.adds.length === 0 &&
    waits.drops.length === 0 &&
    refusals.length === 0 &&
    delivered.length === 0 &&
    inbox.length === 0
  )
}
