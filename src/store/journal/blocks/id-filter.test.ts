import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdFilter } from './id-filter.ts'

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

describe('IdFilter', () => {
  it('knows every name it was given, also after it was written down', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (given) => {
        const filter = IdFilter.parse(IdFilter.of(given).toString())
        for (const name of given) expect(filter.has(name)).toBe(true)
      }),
    )
  })

  it.each([1, 16, 256, 10_000])('takes less than two in a hundred strangers for one of %d', (count) => {
    const filter = IdFilter.of(names(count, 'doc:'))
    const taken = names(20_000, 'doc:x').filter((name) => filter.has(name)).length
    const alike = names(20_000, `doc:${count}`).filter((name) => filter.has(name)).length
    expect(taken).toBeLessThan(400)
    expect(alike).toBeLessThan(400)
  })

  it('says no when it was given nothing', () => {
    expect(names(100, '').filter((name) => IdFilter.of([]).has(name))).toEqual([])
  })

  it('rules nothing out when it has no bits', () => {
    expect(IdFilter.parse('').has('anything')).toBe(true)
  })
})
