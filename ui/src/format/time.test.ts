import { describe, expect, it } from 'vitest'
import { absolute, age, relative, span } from './time.ts'

describe('how long', () => {
  it.each([
    [850, '850ms'],
    [2500, '2.5s'],
    [200_000, '3m 20s'],
    [100_800_000, '1d 4h'],
    [3_600_000, '1h'],
  ])('%i milliseconds are %s', (ms, text) => {
    expect(span(ms)).toBe(text)
  })

  it('goes by whole seconds while it goes on, and never back', () => {
    expect([-500, 0, 999, 5400, 9999, 12_300, 61_000].map((now) => age(0, now))).toEqual([
      '0s',
      '0s',
      '0s',
      '5s',
      '9s',
      '12s',
      '1m 1s',
    ])
  })
})

describe('when', () => {
  const now = Date.parse('2026-01-02T03:04:05.000Z')

  it('is told from now on', () => {
    expect(relative('2026-01-02T03:04:04.500Z', now)).toBe('just now')
    expect(relative('2026-01-02T03:03:53.000Z', now)).toBe('12s ago')
    expect(relative('2026-01-02T03:07:05.000Z', now)).toBe('in 3m')
  })

  it('is told exactly, of epoch seconds too', () => {
    expect(absolute('2026-01-02T03:04:05.678Z', 'utc')).toBe('2026-01-02 03:04:05.678 UTC')
    expect(absolute(now / 1000, 'utc')).toBe('2026-01-02 03:04:05.000 UTC')
    expect(absolute('never', 'utc')).toBe('–')
  })
})
