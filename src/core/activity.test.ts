import { describe, expect, it } from 'vitest'
import { ActivityCounts, activityOf, stepsUntil } from './activity.ts'

const job = { event: 'moved', kind: 'job', old_state: 'IN_PROGRESS' } as const
const step = { event: 'moved', kind: 'step', old_state: 'IN_PROGRESS' } as const

describe('what is counted', () => {
  it.each([
    ['submitted', { ...job, old_state: null, new_state: 'QUEUED' }],
    ['succeeded', { ...job, new_state: 'SUCCEEDED' }],
    ['failed', { ...job, new_state: 'FAILED_FINAL' }],
    ['cancelled', { ...job, new_state: 'CANCELLED' }],
    [null, { ...job, new_state: 'CANCELLING' }],
    ['retried', { ...step, new_state: 'FAILED_RETRY' }],
    [null, { ...step, new_state: 'FAILED_FINAL' }],
    ['refused', { ...job, event: 'refused', kind: 'document', new_state: 'x' }],
    [null, { ...job, event: 'noted', new_state: 'SUCCEEDED' }],
    [null, { ...job, kind: 'document', new_state: 'x' }],
  ] as const)('%s', (name, record) => {
    expect(activityOf(record)).toBe(name)
  })
})

describe('steps of time', () => {
  it('begin at the same times whenever one looks; the last is not over', () => {
    expect(stepsUntil(1_000_000, 60, 3)).toEqual({ at: [840, 900, 960], step_seconds: 60 })
    expect(stepsUntil(1_019_999, 60, 3).at).toEqual([840, 900, 960])
    expect(stepsUntil(1_020_000, 60, 3).at).toEqual([900, 960, 1020])
  })
})

describe('counts', () => {
  const steps = { at: [100, 110], step_seconds: 10 }

  it('fall into the step of their time, of one tenant or of all', () => {
    const counts = new ActivityCounts(100)
    for (const [tenant_id, timestamp] of [
      ['a', 99.999],
      ['a', 100],
      ['a', 100.5],
      ['b', 109.999],
      ['b', 119.9],
      ['b', 120],
    ] as const) {
      counts.add({ tenant_id, timestamp }, 'failed')
    }
    const none = [0, 0]
    expect(counts.series('a', steps)).toEqual({
      submitted: none,
      succeeded: none,
      failed: [2, 0],
      cancelled: none,
      retried: none,
      refused: none,
    })
    expect(counts.series(undefined, steps).failed).toEqual([3, 1])
    expect(counts.size).toBe(5)
  })

  it('are forgotten when their time is over, or the older half when there are too many', () => {
    const counts = new ActivityCounts(3)
    for (const timestamp of [100, 105, 110]) counts.add({ tenant_id: 'a', timestamp }, 'submitted')
    expect(counts.trim()).toBeNull()
    counts.add({ tenant_id: 'b', timestamp: 115 }, 'submitted')
    expect(counts.trim()).toBe(111)
    expect(counts.series(undefined, steps).submitted).toEqual([0, 1])
    expect(counts.size).toBe(1)
    counts.forget(115)
    expect(counts.size).toBe(1)
    counts.forget(116)
    expect(counts.size).toBe(0)
  })
})
