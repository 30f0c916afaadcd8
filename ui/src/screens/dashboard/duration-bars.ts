import type { DurationRow } from '../../../../src/core/durations.ts'

export interface DurationBar {
  readonly name: string
  readonly count: number
  readonly p50Ms: number
  readonly p95Ms: number
  /** Of the longest bar, 0 to 1. */
  readonly p50Share: number
  readonly p95Share: number
}

/** The slowest first. */
export function durationBars(rows: readonly DurationRow[], most: number): readonly DurationBar[] {
  const slowest = rows.toSorted((a, b) => b.p95_seconds - a.p95_seconds || b.count - a.count).slice(0, most)
  const longest = slowest[0]?.p95_seconds ?? 0
  const share = (seconds: number) => (longest === 0 ? 0 : Math.min(1, seconds / longest))
  return slowest.map(({ adapter, state, count, p50_seconds, p95_seconds }) => ({
    name: adapter ?? state,
    count,
    p50Ms: p50_seconds * 1000,
    p95Ms: p95_seconds * 1000,
    p50Share: share(p50_seconds),
    p95Share: share(p95_seconds),
  }))
}
