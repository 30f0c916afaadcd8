import { expect, it } from 'vitest'
import { bytesText, countOf, durationText, timeText } from './words.ts'

it('tells durations in the two largest units', () => {
  const told = [0, 0.25, 9.9994, 59.6, 61, 3600, 3661, 90_000, 86_400 * 3 + 5].map(durationText)
  expect(told).toEqual(['0s', '0.25s', '9.999s', '1m', '1m 1s', '1h', '1h 1m', '1d 1h', '3d'])
})

it('tells counts, sizes and times', () => {
  expect([countOf(1, 'entry'), countOf(1234, 'entry'), countOf(2, 'outbox'), countOf(0, 'document')]).toEqual(
    ['1 entry', '1,234 entries', '2 outboxes', '0 documents'],
  )
  expect([0, 999, 1000, 58_757, 3_400_000_000].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '58.8 kB',
    '3.4 GB',
  ])
  expect(timeText(1759492800250)).toBe('2025-10-03T12:00:00Z')
})
