import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropNullFields, type Json } from '../core/json.ts'
import { withCanonicalBytes } from './canonical-json.ts'

function textOf(value: Json): string | null {
  return withCanonicalBytes(value, (bytes) => bytes.toString('utf8'))
}

const anyJson = fc.oneof(
  fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 }),
  fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }),
  fc.dictionary(fc.string({ maxLength: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }), {
    maxKeys: 30,
  }),
) as fc.Arbitrary<Json>

describe('canonical JSON', () => {
  it('is what the library makes of it, without null fields', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(textOf(value)).toBe(canonicalize(dropNullFields(value)))
      }),
      { numRuns: 2000 },
    )
  })

  it('is the same however large the one before was', () => {
    for (const large of ['x'.repeat(2_000_000), 'ü"\\\n'.repeat(400_000)]) {
      expect(textOf([large, {}])).toBe(canonicalize([large, {}]))
      expect(textOf({ b: 10, a: -0.5, c: [] })).toBe('{"a":-0.5,"b":10,"c":[]}')
    }
    const many = Array.from({ length: 50_000 }, (_, n) => n)
    expect(textOf(many)).toBe(JSON.stringify(many))
  })

  it('has no form for half a character, wherever it is', () => {
    for (const value of ['\ud800', ['a', '\udc00b'], { a: { '\ud800': 1 } }, { a: ['\ud800'] }]) {
      expect(textOf(value)).toBeNull()
      expect(() => canonicalize(value)).toThrow('Lone surrogate')
    }
  })
})
