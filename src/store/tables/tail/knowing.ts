import type { RecordKey } from '../../../core/aggregate.ts'
import type { Birth } from '../../../core/job/birth.ts'
import type { StoredCell } from '../cell.ts'
import type { Since } from './known.ts'
import type { Part } from './tail.ts'

/** What tables have besides where all that was written lately may be known, by whoever it was written. */
export interface Knowing {
  /** What a decision that is made from now on rests on; null when that is what is looked at row by row. */
  since(): Since | Promise<Since | null> | null
  readonly knowsAll: boolean
  /** It was written lately, and what is found of it may be older. */
  isChanged(key: RecordKey): boolean
  /** What others have written up to now is known when it resolves. */
  current(): Promise<void>
  /** When something is next due, or was to be, though that is done by now. */
  nextDueOrEarlier(): Promise<number | null>
  /** Puts some of what is in the tail where it is found, the oldest first. */
  foldSome(): Promise<void>
  /** Whatever is ready, and found only when all is in its place, has this rank or a later one. Null when nobody knows, or all is. */
  readonly hiddenFrom: number | null
  onKnowing(listener: KnowingListener): void
}

/** What a write makes of the aggregates that it changes; of jobs that are as they are born, what is their own. */
export interface MadeOf {
  readonly cells: readonly StoredCell[]
  readonly births: readonly Birth[]
}

/** What a write rests on, and what comes of it. */
export interface Basis {
  readonly since: Since | null
  readonly written: () => MadeOf
}

export interface KnowingListener {
  /** From now on nothing counts that was known before. */
  begins(): void
  /** Others have written these. All else is as it was. */
  others(parts: readonly Part[]): void
}
