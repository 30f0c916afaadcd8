import type { OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import type { Match } from './intents.ts'

export const UNKNOWN_JOB = 'job-unknown'

/** What a history has brought up so far, that later steps may come back to. */
export interface Seen {
  readonly attempts: StepRecord[]
  readonly rows: OutboxRecord[]
  /** Every etag that a record has had, by its name. */
  readonly etags: Map<string, string[]>
}

/** The etag that a caller demands of a record of this name. */
export function etagFor(
  match: Match,
  current: string | undefined,
  seen: Seen,
  name: string,
): string | undefined {
  if (match === 'any') return undefined
  if (match === 'current') return current ?? ''
  return seen.etags.get(name)?.find((etag) => etag !== current) ?? 'never given out'
}

/** Counted back from the last. */
export function fromEnd<T>(items: readonly T[], n: number): T | undefined {
  return items.at(-1 - (n % Math.max(items.length, 1)))
}
