import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordTooLarge } from '../../errors/size-errors.ts'
import { fitted, whole } from './long-columns.ts'
import { MOST_CHARS_IN_VALUE } from './service.ts'

const KEY = { pk: 'p', rk: 'r' }
const fittedTo = (columns: Parameters<typeof fitted>[2]) => fitted('A row', KEY, columns)

describe('long columns', () => {
  it('are cut where they are too long, and put together again', () => {
    const sign = fc.constantFrom('a', 'é', '漢', '👩', '\n', '"')
    const text = fc
      .tuple(sign, sign, fc.integer({ min: 0, max: 3 * MOST_CHARS_IN_VALUE }))
      .map(([first, rest, count]) => first + rest.repeat(count / rest.length))
    fc.assert(
      fc.property(text, text, (long, other) => {
        const columns = { long, other, n: 1, is: true }
        const cut = fittedTo(columns)
        for (const value of Object.values(cut)) {
          if (typeof value !== 'string') continue
          expect(value.length).toBeLessThanOrEqual(MOST_CHARS_IN_VALUE)
          expect(value.isWellFormed()).toBe(true)
        }
        expect(whole(cut)).toEqual(columns)
      }),
      { numRuns: 50 },
    )
  })

  it('leave alone what is short, and what only looks like a part', () => {
    const columns = { a: 'x', a_2: 1, b_2: 'y', c: 2, c_2: 'z' }
    expect(fittedTo(columns)).toEqual(columns)
    expect(whole(columns)).toEqual(columns)
  })

  it('are refused when all of them are more than a row can have', () => {
    const half = 'x'.repeat(265_000)
    expect(fittedTo({ half })).toHaveProperty('half_9')
    expect(() => fittedTo({ half, other: half })).toThrow(RecordTooLarge)
  })
})
