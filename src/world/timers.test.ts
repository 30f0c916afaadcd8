import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemTimers } from './timers.ts'

/** More, and the platform would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('calls back once, after so long, unless cancelled', () => {
  const fired: string[] = []
  systemTimers.after(10, () => fired.push('kept'))
  const timer = systemTimers.after(10, () => fired.push('cancelled'))
  timer.cancel()
  vi.advanceTimersByTime(9)
  expect(fired).toEqual([])
  vi.advanceTimersByTime(100)
  expect(fired).toEqual(['kept'])
})

it('waits as long as the platform can for something further off, instead of firing at once', () => {
  const fired: number[] = []
  systemTimers.after(LONGEST_TIMER_MS * 2, () => fired.push(1))
  vi.advanceTimersByTime(LONGEST_TIMER_MS - 1)
  expect(fired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(fired).toEqual([1])
})
