import { describe, expect, it } from 'vitest'
import type { Machine } from '../../../../src/core/machine.ts'
import { machines } from '../../../../src/core/machines/all.ts'
import { formOf, limitsOf, perOf, rateText } from './limits.ts'
import { QUEUE_VERBS, SCHEDULE_VERBS, verbsFor } from './steering.ts'

describe('limits of a queue in a form', () => {
  it('come back as they were', () => {
    const all = [
      { concurrency: 4, rate: { max: 10, per_ms: 60_000 } },
      { concurrency: null, rate: { max: 1, per_ms: 1500 } },
      { concurrency: 1, rate: null },
    ]
    for (const limits of all) expect(limitsOf(formOf(limits))).toEqual(limits)
  })

  it('are in the largest unit that suits', () => {
    expect(perOf(7_200_000)).toEqual({ per: '2', unit: 'hour' })
    expect(perOf(90_000)).toEqual({ per: '90', unit: 'second' })
    expect(perOf(500)).toEqual({ per: '0.5', unit: 'second' })
  })

  it('are refused when they make no sense', () => {
    const form = formOf({})
    expect(limitsOf({ ...form, concurrency: '0' })).toMatch(/^At once/)
    expect(limitsOf({ ...form, concurrency: 'many' })).toMatch(/^At once/)
    expect(limitsOf({ ...form, max: '1.5' })).toMatch(/^Begun/)
    expect(limitsOf({ ...form, max: '5', per: '' })).toMatch(/^Within/)
    expect(limitsOf({ ...form, max: '', per: '' })).toEqual({ concurrency: null, rate: null })
  })

  it('are said in words', () => {
    expect(rateText({ max: 5, per_ms: 60_000 })).toBe('5 a minute')
    expect(rateText({ max: 5, per_ms: 3_600_000 })).toBe('5 an hour')
    expect(rateText({ max: 5, per_ms: 7_200_000 })).toBe('5 in 2 hours')
  })
})

it('only what would change something is offered', () => {
  const offered = (kind: 'queue' | 'schedule', state: string) =>
    verbsFor(machines[kind] as Machine<string>, state, kind === 'queue' ? QUEUE_VERBS : SCHEDULE_VERBS).map(
      ({ verb }) => verb,
    )
  expect(offered('queue', 'running')).toEqual(['pause'])
  expect(offered('queue', 'paused')).toEqual(['resume'])
  expect(offered('schedule', 'active')).toEqual(['pause'])
  expect(offered('schedule', 'paused')).toEqual(['resume'])
  expect(offered('schedule', 'removed')).toEqual([])
  expect(offered('schedule', 'unheard of')).toEqual([])
})
