import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromEpochSeconds, fromIso, toEpochSeconds, toIso } from './time.ts'

const LAST_MS = Date.UTC(9999, 11, 31)
const instant = fc.integer({ min: 0, max: LAST_MS })

describe('times', () => {
  it('are ISO 8601 in UTC, and come back the same', () => {
    expect(toIso(1_735_787_045_006)).toBe('2025-01-02T03:04:05.006Z')
    fc.assert(
      fc.property(instant, (ms) => {
        expect(toIso(ms)).toBe(new Date(ms).toISOString())
        expect(fromIso(toIso(ms))).toBe(ms)
      }),
    )
  })

  it('sort as text in the order in which they pass', () => {
    fc.assert(fc.property(instant, instant, (a, b) => a < b === toIso(a) < toIso(b)))
  })

  it('are right whatever was asked before', () => {
    const near = Array.from({ length: 40 }, (_, i) => 1_735_787_045_000 + ((i * 7) % 20))
    expect(near.map(toIso)).toEqual(near.map((ms) => new Date(ms).toISOString()))
  })

  it('are read whatever their form', () => {
    const forms = ['2025-01-02', '2025-01-02T03:04:05Z', '2025-01-02T03:04:05.006+01:00', 'not a time', '']
    for (const form of [...forms, ...forms]) expect(fromIso(form)).toBe(Date.parse(form))
  })

  it('as epoch seconds keep their milliseconds', () => {
    expect(toEpochSeconds(1_735_787_045_006)).toBe(1_735_787_045.006)
    fc.assert(fc.property(instant, (ms) => fromEpochSeconds(toEpochSeconds(ms)) === ms))
  })
})
