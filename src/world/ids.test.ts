import { validate, version } from 'uuid'
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

it('makes what the library takes for ids of version 7, of the time at which they are made', () => {
  for (const now of [Date.now() + 1000, Date.UTC(2100, 0, 2), 2 ** 47 + 123]) {
    vi.useFakeTimers({ now })
    const id = systemIds.next()
    expect([validate(id), version(id)]).toEqual([true, 7])
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now)
    vi.useRealTimers()
  }
})

it('goes on growing when the clock is set back', () => {
  vi.useFakeTimers({ now: Date.now() + 60_000 })
  const before = systemIds.next()
  vi.setSystemTime(Date.now() - 30_000)
  const after = [systemIds.next(), systemIds.next()]
  expect([before, ...after].toSorted()).toEqual([before, ...after])
})
