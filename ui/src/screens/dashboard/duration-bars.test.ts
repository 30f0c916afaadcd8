import { describe, expect, it } from 'vitest'
import type { DurationRow } from '../../../../src/core/durations.ts'
import { durationBars } from './duration-bars.ts'

function row(adapter: string | null, p50: number, p95: number, count = 1): DurationRow {
  return {
    kind: 'step',
    state: 'IN_PROGRESS',
    adapter,
    count,
    mean_seconds: p50,
    p50_seconds: p50,
    p95_seconds: p95,
    p99_seconds: p95,
    max_seconds: p95,
  }
}

describe('bars of durations', () => {
  it('begin with the slowest, as parts of the longest', () => {
    const bars = durationBars([row('fast', 1, 2), row('slow', 4, 8, 9), row('middle', 2, 4)], 2)
    expect(bars).toEqual([
      { name: 'slow', count: 9, p50Ms: 4000, p95Ms: 8000, p50Share: 0.5, p95Share: 1 },
      { name: 'middle', count: 1, p50Ms: 2000, p95Ms: 4000, p50Share: 0.25, p95Share: 0.5 },
    ])
  })

  it('have no length when nothing took any time', () => {
    expect(durationBars([row(null, 0, 0)], 5)).toEqual([
      { name: 'IN_PROGRESS', count: 1, p50Ms: 0, p95Ms: 0, p50Share: 0, p95Share: 0 },
    ])
  })

  it('are none without durations', () => {
    expect(durationBars([], 5)).toEqual([])
  })
})
