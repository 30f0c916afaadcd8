import { describe, expect, it } from 'vitest'
import type { Activity } from '../../../../src/ledger/activity.ts'
import {
  asLines,
  asStack,
  endOf,
  highestOf,
  incompleteUntil,
  isQuiet,
  peakOf,
  stepAt,
  THROUGHPUT,
  TROUBLE,
  topOf,
  totalOf,
} from './activity-series.ts'

const activity: Activity = {
  tenant_id: '*',
  from: '1970-01-01T00:01:40.000Z',
  until: '1970-01-01T00:02:08.000Z',
  step_seconds: 10,
  complete_from: null,
  at: [100, 110, 120],
  submitted: [5, 0, 2],
  succeeded: [1, 3, 1],
  failed: [0, 1, 0],
  cancelled: [0, 0, 1],
  retried: [2, 0, 0],
  refused: [0, 4, 0],
}
const quiet: Activity = {
  ...activity,
  submitted: [0, 0, 0],
  succeeded: [0, 0, 0],
  failed: [0, 0, 0],
  cancelled: [0, 0, 0],
  retried: [0, 0, 0],
  refused: [0, 0, 0],
}

describe('lines', () => {
  it('go on to the end of the last step', () => {
    expect(asLines(activity, THROUGHPUT)).toEqual([
      [100, 110, 120, 130],
      [5, 0, 2, 2],
      [1, 3, 1, 1],
    ])
  })
})

describe('a stack', () => {
  it('adds each line to those beneath it and has the whole first', () => {
    expect(asStack(activity, TROUBLE)).toEqual([
      [100, 110, 120],
      [2, 5, 1],
      [2, 5, 0],
      [2, 1, 0],
      [0, 1, 0],
    ])
  })

  it('leaves the numbers that it was made of alone', () => {
    asStack(activity, TROUBLE)
    expect(activity.refused).toEqual([0, 4, 0])
  })
})

describe('what a scale ends with', () => {
  it.each([
    [0, 4],
    [1, 4],
    [4, 4],
    [5, 5],
    [6, 6],
    [7, 8],
    [9, 10],
    [10, 10],
    [11, 15],
    [125, 150],
    [401, 500],
    [999, 1000],
    [1000, 1000],
  ])('for %i is %i', (highest, top) => {
    expect(topOf(highest)).toBe(top)
  })

  it('goes by the highest of all lines', () => {
    expect(highestOf(asStack(activity, TROUBLE))).toBe(5)
    expect(highestOf([[]])).toBe(0)
  })
})

describe('what is said of it', () => {
  it('has totals and peaks', () => {
    expect(totalOf(activity.submitted)).toBe(7)
    expect(peakOf(activity.succeeded, activity.at)).toEqual({ value: 3, at: 110 })
    expect(peakOf([0, 0], [1, 2])).toBeNull()
    expect(peakOf([], [])).toBeNull()
  })

  it('knows when nothing happened', () => {
    expect(isQuiet(quiet)).toBe(true)
    expect(isQuiet({ ...quiet, refused: [0, 0, 1] })).toBe(false)
  })

  it('does not claim to be complete when it is not', () => {
    expect(incompleteUntil(activity)).toBeNull()
    expect(incompleteUntil({ ...activity, complete_from: '1970-01-01T00:01:55.000Z' })).toBe(115)
    // All that is shown happened later.
    expect(incompleteUntil({ ...activity, complete_from: '1970-01-01T00:01:00.000Z' })).toBeNull()
  })
})

describe('the step of a moment', () => {
  it('is the one that has begun and is not over', () => {
    expect([99, 100, 109.9, 110, 129, 200].map((moment) => stepAt(activity, moment))).toEqual([
      0, 0, 0, 1, 2, 2,
    ])
  })

  it('ends with the last', () => {
    expect(endOf(activity)).toBe(130)
  })
})
