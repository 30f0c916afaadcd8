import { describe, expect, it } from 'vitest'
import { must, present } from './must.ts'

describe('a broken invariant', () => {
  it('crashes and says which', () => {
    expect(() => must(false, 'water is wet')).toThrow('Broken invariant: water is wet')
    expect(() => must(true, 'water is wet')).not.toThrow()
    expect(() => must(false, () => 'water is wet')).toThrow('Broken invariant: water is wet')
  })

  it('is a value that is not there', () => {
    for (const absent of [null, undefined]) {
      expect(() => present(absent, 'the job is there')).toThrow('Broken invariant: the job is there')
    }
    for (const value of [0, '', false, { a: 1 }]) expect(present(value, 'it is there')).toBe(value)
  })
})
