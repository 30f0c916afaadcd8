import { describe, expect, it } from 'vitest'
import { parseTime } from './time.ts'

const NOW = Date.UTC(2026, 0, 2, 12)
const parse = (text: string) => new Date(parseTime('since', text, NOW)).toISOString()

describe('a time on the command line', () => {
  it.each([
    ['2025-10-03T12:00:00.5+00:00', '2025-10-03T12:00:00.500Z'],
    ['2025-10-03T12:00:00', '2025-10-03T12:00:00.000Z'],
    ['2025-10-03 12:00', '2025-10-03T12:00:00.000Z'],
    ['2025-10-03T12:00:00+0230', '2025-10-03T09:30:00.000Z'],
    ['2025-10-03T12:00:00-05', '2025-10-03T17:00:00.000Z'],
    ['2025-10-03', '2025-10-03T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['1759492800', '2025-10-03T12:00:00.000Z'],
    ['1759492800.25', '2025-10-03T12:00:00.250Z'],
    ['1759492800250', '2025-10-03T12:00:00.250Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
    ['2h', '2026-01-02T10:00:00.000Z'],
    ['30m', '2026-01-02T11:30:00.000Z'],
    ['7d', '2025-12-26T12:00:00.000Z'],
    ['1d12h', '2026-01-01T00:00:00.000Z'],
    ['1.5h', '2026-01-02T10:30:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(parse(text)).toBe(iso)
  })

  it.each([
    '',
    'yesterday',
    '2025-02-30',
    '2025-13-01',
    '2025-10-03T25:00',
    '-5',
    '5y',
    '2h ago',
    '1e9',
    '99999999999999999999',
  ])('%j is none, and examples are given', (text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        field: 'since',
        next: expect.stringContaining('30m, 2h, 7d'),
      }),
    )
  })
})
