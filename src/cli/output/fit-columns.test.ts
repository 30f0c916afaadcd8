import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ColumnWidth, fitColumns, GAP } from './fit-columns.ts'

const column = (natural: number, least: number, worth = 0): ColumnWidth => ({ natural, least, worth })
const NEEDED = Number.POSITIVE_INFINITY

describe('columns', () => {
  it('have what they need when there is room', () => {
    expect(fitColumns([column(10, 5), column(50, 5)], 62)).toEqual([10, 50])
    expect(fitColumns([column(10, 5), column(500, 5)], Number.POSITIVE_INFINITY)).toEqual([10, 500])
  })

  it('give when there is not: the wide ones first', () => {
    expect(fitColumns([column(10, 5), column(50, 5)], 40)).toEqual([10, 28])
    expect(fitColumns([column(30, 5), column(50, 5)], 22)).toEqual([10, 10])
  })

  it('go when there is too little: what is worth least, the last one first', () => {
    expect(fitColumns([column(20, 10, NEEDED), column(9, 9), column(9, 9, 1), column(9, 9)], 25)).toEqual([
      14,
      null,
      9,
      null,
    ])
  })

  it('are cut as far as it takes when they have to stay', () => {
    expect(fitColumns([column(20, 10, NEEDED), column(20, 10, NEEDED)], 12)).toEqual([5, 5])
  })

  it('fit every terminal that has room for a letter of each', () => {
    const anyColumn = fc.record({
      natural: fc.integer({ min: 1, max: 300 }),
      least: fc.integer({ min: 1, max: 30 }),
      worth: fc.constantFrom(0, 1, NEEDED),
    })
    fc.assert(
      fc.property(
        fc.array(anyColumn, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 24, max: 250 }),
        (columns, width) => {
          const capped = columns.map(({ natural, least, worth }) => ({
            natural,
            worth,
            least: Math.min(natural, least),
          }))
          const fitted = fitColumns(capped, width).filter((each) => each !== null)
          const used = fitted.reduce((sum, each) => sum + each, 0) + GAP * Math.max(0, fitted.length - 1)
          expect(used).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})
