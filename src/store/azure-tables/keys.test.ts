import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digits, isCut, key, part, rangeOf, shortPart, uncutPrefix, unpart } from './keys.ts'
import { MOST_CHARS_IN_KEY } from './service.ts'

/** What the service refuses in a key, and what stands between parts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const ILLEGAL = /[/\\?#~\u0000-\u001f\u007f-\u009f]/

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'/\\?#~%+ \'"!.>[}|ab0é漢\u0000\u007f\ud83d'), maxLength: 30 }),
)

describe('parts of keys', () => {
  it('hold nothing that the service refuses, and can be read back', () => {
    fc.assert(
      fc.property(text, (id) => {
        const written = part(id, 10_000)
        expect(written).not.toMatch(ILLEGAL)
        expect(unpart(written)).toBe(id)
      }),
    )
  })

  it('sort as what they were made of', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compare(part(a, 10_000), part(b, 10_000)))).toBe(Math.sign(compare(a, b)))
      }),
    )
  })

  it('look like the ids that people choose', () => {
    expect(part('0193b0c6-7f3a-7c2e-9d11-1a2b3c4d5e6f')).toBe('0193b0c6-7f3a-7c2e-9d11-1a2b3c4d5e6f')
    expect(part('pubmed:123#1')).toBe('pubmed:123!231')
    expect(part('in/report.pdf')).toBe('in.2freport.2epdf')
  })

  it('are cut when they become too long, and differ all the same', () => {
    const long = '漢'.repeat(512)
    for (const written of [part(long), shortPart(long), part(`${long.slice(1)}x`)]) {
      expect(isCut(written)).toBe(true)
      expect(unpart(written)).toBeNull()
    }
    expect(part(long)).not.toBe(part(`${long.slice(1)}x`))
    expect(uncutPrefix(part(long))).toBe(uncutPrefix(part(`${long.slice(1)}x`)))
    expect(key(part(long), part(long)).length).toBeLessThan(MOST_CHARS_IN_KEY - 20)
    expect(isCut(part('x'.repeat(200)))).toBe(false)
  })
})

describe('ranges of keys', () => {
  it('hold what begins with the parts, and nothing else', () => {
    const { from, before } = rangeOf('d', part('Zeta'))
    const isIn = (...parts: string[]) => key(...parts) >= from && key(...parts) < before
    expect(isIn('d', part('Zeta'), part('\uffff'))).toBe(true)
    expect(isIn('d', part('Zeta'), 'a', 'b')).toBe(true)
    expect(isIn('d', part('Zetaa'), 'a')).toBe(false)
    expect(isIn('d', part('Zet'), 'a')).toBe(false)
    expect(isIn('e', part('Zeta'), 'a')).toBe(false)
  })

  it('have numbers in their order', () => {
    const written = [0, 9, 10, 1_700_000_000_000].map((n) => digits(n, 16))
    expect(written.toSorted()).toEqual(written)
  })
})

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
