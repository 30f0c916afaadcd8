import { afterEach, expect, it, vi } from 'vitest'
import { systemIds } from './ids.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('makes ids that are all different and sort by the time of their making', () => {
  // More than the pool of randomness holds at once.
  const ids = Array.from({ length: 5000 }, () => systemIds.next())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('goes on growing when the clock is set back', () => {
  vi.useFakeTimers({ now: Date.now() + 60_000 })
  const before = systemIds.next()
  vi.setSystemTime(Date.now() - 30_000)
  const after = [systemIds.next(), systemIds.next()]
  expect([before, ...after].toSorted()).toEqual([before, ...after])
})
