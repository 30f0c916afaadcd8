import type { JournalOptions } from '../../../src/store/journal/journal-options.ts'

/** What the children write, and their judges expect. */
export const CALLERS = 12

export const SHARED = 'shared'

/** A snapshot is made again and again. */
export const JOURNAL: JournalOptions = {
  snapshotSchedule: null,
  snapshotAfterBytes: 40_000,
  keepSnapshots: 2,
}

export function nameOfCaller(caller: number): string {
  return `caller-${caller}`
}
