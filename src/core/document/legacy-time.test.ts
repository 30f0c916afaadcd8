import { describe, expect, it } from 'vitest'
import { legacySeconds } from './legacy-time.ts'

const NOON = Date.UTC(2025, 9, 3, 12) / 1000

describe('A40: times as old logs have them', () => {
  it.each([
    ['2025-10-03T12:00:00Z', NOON],
    ['2025-10-03T12:00:00z', NOON],
    ['2025-10-03T12:00:00', NOON],
    ['2025-10-03 12:00:00', NOON],
    ['2025-10-03t12:00', NOON],
    ['  2025-10-03T12:00:00Z ', NOON],
    ['2025-10-03', NOON - 12 * 3600],
    ['2025-10-03T12:00:00.5+00:00', NOON + 0.5],
    ['2025-10-03T12:00:00,25', NOON + 0.25],
    ['2025-10-03T12:00:00.123456', NOON + 0.123456],
    ['2025-10-03T12:00:00.1234567890123456789', NOON + 0.123456789],
    ['2025-10-03T14:30:00+02:30', NOON],
    ['2025-10-03T14:30:00+0230', NOON],
    ['2025-10-03T05:00:00-07', NOON],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) / 1000],
    ['2000-02-29', Date.UTC(2000, 1, 29) / 1000],
    ['2025-04-30T23:59:60Z', Date.UTC(2025, 4, 1) / 1000],
    ['1970-01-01T00:00:00Z', 0],
    [NOON, NOON],
    [NOON + 0.25, NOON + 0.25],
    [NOON * 1e3 + 250, NOON + 0.25],
    [NOON * 1e6, NOON],
    [NOON * 1e9, NOON],
    [0, 0],
    [String(NOON), NOON],
    [` ${NOON}.5 `, NOON + 0.5],
    ['1.7595e9', 1.7595e9],
    ['1.7595E+9', 1.7595e9],
  ])('%j is %d', (value, seconds) => {
    expect(legacySeconds(value)).toBeCloseTo(seconds, 6)
  })

  it.each([
    undefined,
    null,
    true,
    {},
    [NOON],
    '',
    'soon',
    '-5',
    -1,
    Number.NaN,
    1e21,
    '1969-12-31T00:00:00Z',
    '2025-13-01',
    '2025-00-01',
    '2025-02-29',
    '2100-02-29',
    '2025-04-31',
    '2025-10-00',
    '2025/10/03',
    '2025-10/03',
    '2025-1x-03',
    '2025-10-03X12:00:00',
    '2025-10-03T24:00:00',
    '2025-10-03T12-00',
    '2025-10-03T12:60',
    '2025-10-03T12:00:61',
    '2025-10-03T12:00:0',
    '2025-10-03T12:00:00.',
    '2025-10-03T12:00:00Zulu',
    '2025-10-03T12:00:00 CET',
    '2025-10-03T12:00:00+24:00',
    '2025-10-03T12:00:00+01:60',
    '2025-10-03T12:00:00+1',
    '2025-10-03T12:00:00+01-30',
    '2025-10-03T12:00:00+01:300',
    '03.10.2025',
  ])('%j is no time', (value) => {
    expect(legacySeconds(value)).toBeNull()
  })

  it('says the same of a day as the platform, also when it was asked before', () => {
    for (let day = 0; day < 60 * 365; day++) {
      const date = new Date(day * 86_400_000).toISOString()
      expect(legacySeconds(date)).toBe(day * 86_400)
      expect(legacySeconds(date.slice(0, 10))).toBe(day * 86_400)
    }
  })
})
