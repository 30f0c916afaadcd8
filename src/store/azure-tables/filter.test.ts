import { describe, expect, it } from 'vitest'
import { filterOf } from './filter.ts'

const number = (value: number) =>
  filterOf({ where: [{ column: 'n', is: 'eq', value }] })?.slice('n eq '.length)

describe('a filter', () => {
  it('has both keys first, then what columns are to hold', () => {
    expect(
      filterOf({
        pk: 'a',
        rkFrom: 'b',
        rkBefore: 'c',
        where: [
          { column: 'n', is: 'ge', value: 1 },
          { column: 's', isOneOf: ['x', 'y'] },
          { column: 'is', is: 'ne', value: true },
        ],
      }),
    ).toBe(
      "PartitionKey eq 'a' and RowKey ge 'b' and RowKey lt 'c' and n ge 1.0 and (s eq 'x' or s eq 'y') and is ne true",
    )
    expect(filterOf({ pkFrom: 'a', pkBefore: 'b' })).toBe("PartitionKey ge 'a' and PartitionKey lt 'b'")
    expect(filterOf({ where: [{ column: 's', isOneOf: ['x'] }] })).toBe("s eq 'x'")
  })

  it('is left out when everything fits, and needs no service when nothing can', () => {
    expect(filterOf({})).toBeUndefined()
    expect(filterOf({ where: [] })).toBeUndefined()
    expect(filterOf({ pk: 'a', where: [{ column: 's', isOneOf: [] }] })).toBeNull()
  })

  it('is not ended by what stands in it', () => {
    expect(filterOf({ pk: "' or PartitionKey ne '" })).toBe("PartitionKey eq ''' or PartitionKey ne '''")
  })

  it('has numbers that are doubles, in digits', () => {
    for (const [value, text] of [
      [0, '0.0'],
      [-0, '0.0'],
      [-5, '-5.0'],
      [0.1, '0.1'],
      [5e9, '5000000000.0'],
      [1e21, '1000000000000000000000.0'],
      [-1.25e22, '-12500000000000000000000.0'],
      [1e-7, '0.0000001'],
      [-1.5e-9, '-0.0000000015'],
    ] as const) {
      expect(number(value)).toBe(text)
    }
    for (const value of [5e-324, 1.7976931348623157e308, 2 ** 53, Math.PI * 1e30, Math.PI * 1e-30])
      expect(Number(number(value))).toBe(value)
  })

  it('compares fifteen times at most', () => {
    const many = (length: number) => ({
      pk: 'a',
      where: [{ column: 'n', isOneOf: Array.from({ length }, (_, n) => n) }],
    })
    expect(filterOf(many(14))).toContain('n eq 13.0')
    expect(() => filterOf(many(15))).toThrow('at most 15 times, not 16')
  })
})
