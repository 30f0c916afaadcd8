import type { DurationRow } from '../durations.ts'
import { fromEpochSeconds, HOUR_MS } from '../time.ts'

/** Fewer say nothing about how long the slowest of a hundred take. */
const ENOUGH = 20

/** Milliseconds for which a job may be at a stage, by the service that does it. */
export type StuckAfter = (service: string | undefined) => number

/** What 99 of 100 attempts of the service took; an hour while there were too few of them. */
export function stuckAfter(durations: readonly DurationRow[]): StuckAfter {
  const known = new Map<string | undefined, number>()
  for (const { adapter, count, p99_seconds } of durations) {
    if (adapter !== null && count >= ENOUGH) known.set(adapter, fromEpochSeconds(p99_seconds))
  }
  return (service) => known.get(service) ?? HOUR_MS
}
