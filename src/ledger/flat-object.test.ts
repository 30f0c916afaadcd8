import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropNullFields, type Json } from '../core/json.ts'
import { writtenFlat } from './flat-object.ts'

const anyValue = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

/** Few names, so that one has the fields of the one before now and then. */
const anyName = fc.oneof(
  fc.constantFrom('n', 'at', 'text', 'N', '', 'é', '漢', '"', '\\', 'toJSON'),
  fc.string({ maxLength: 3 }),
)

const anyFlat = fc.dictionary(anyName, anyValue, { maxKeys: 20, noNullPrototype: true })

describe('a flat object', () => {
  it('is written as it is, and in order without its null fields, unless it is left to others', () => {
    let left = 0
    fc.assert(
      fc.property(anyFlat, (object) => {
        const written = writtenFlat(object)
        if (written === null) {
          left++
          return
        }
        expect(written.copy).toEqual(object)
        expect(written.copy).not.toBe(object)
        expect(Object.isFrozen(written.copy)).toBe(true)
        expect(written.text).toBe(JSON.stringify(object))
        expect(written.inOrder).toBe(canonicalize(dropNullFields(object as Json)))
      }),
      { numRuns: 2000 },
    )
    expect(left).toBeLessThan(1500)
  })

  it('is written by the fields that it has, whatever the one before had', () => {
    for (const [object, inOrder] of [
      [{ b: 1, a: null, c: 'x' }, '{"b":1,"c":"x"}'],
      [{ b: 2, a: true, c: -0 }, '{"a":true,"b":2,"c":0}'],
      [{ b: 2, a: true }, '{"a":true,"b":2}'],
      [{ b: 2, a: true, d: 1e21 }, '{"a":true,"b":2,"d":1e+21}'],
      [{ a: null }, '{}'],
      [{}, '{}'],
    ] as const) {
      expect(writtenFlat(object)).toEqual({ copy: object, text: JSON.stringify(object), inOrder })
    }
  })

  it.each([
    ['a list', [1]],
    ['what is no object', 'text'],
    ['nothing', null],
    ['an object in it', { a: {} }],
    ['a list in it', { a: [] }],
    ['a value that is missing', { a: undefined }],
    ['no number', { a: Number.NaN }],
    ['a number without end', { a: Number.POSITIVE_INFINITY }],
    ['what JSON does not have', { a: 10n }],
    ['names like places of a list', { b: 1, 10: 2 }],
    ['a name that is not allowed', JSON.parse('{"__proto__":1}')],
    ['an object of a class', new (class Own {})()],
    ['many fields', Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, n]))],
  ])('is left to others where it is %s', (_, value) => {
    expect(writtenFlat(value)).toBeNull()
  })
})
