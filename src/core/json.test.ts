import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropNullFields, EMPTY, isJsonObject, type Json, numberIn, sameJson } from './json.ts'

// Names that reach behind an object are refused before they come here.
const json = fc
  .jsonValue()
  .filter((value) => !JSON.stringify(value).includes('__proto__')) as fc.Arbitrary<Json>

/** The same value with the fields of every object in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  )
}

/** The same value with a null field more in every object. */
function withNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withNulls)
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).map(([key, field]) => [key, withNulls(field)])
  return Object.fromEntries([...fields, ['one null more', null]])
}

describe('JSON values', () => {
  it('objects are told from arrays, null and everything else', () => {
    expect(isJsonObject({})).toBe(true)
    expect(isJsonObject(EMPTY)).toBe(true)
    for (const other of [null, undefined, [], 'text', 1, false]) expect(isJsonObject(other)).toBe(false)
  })

  it('the empty object cannot be filled', () => {
    expect(() => Object.assign(EMPTY, { a: 1 })).toThrow(TypeError)
  })

  it('null fields are dropped at every depth, null elements stay', () => {
    expect(dropNullFields({ a: null, b: [null, { c: null, d: 0 }], e: { f: null } })).toEqual({
      b: [null, { d: 0 }],
      e: {},
    })
    for (const plain of [null, 0, '', false, [null]]) expect(dropNullFields(plain)).toEqual(plain)
  })

  it('A5: null fields more or less make no difference once dropped', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(dropNullFields(withNulls(value))).toEqual(dropNullFields(value))
        expect(dropNullFields(dropNullFields(value))).toEqual(dropNullFields(value))
      }),
    )
  })

  it('a value is the same as its copy, whatever the order of its fields', () => {
    fc.assert(fc.property(json, (value) => sameJson(value, reversed(structuredClone(value)))))
  })

  it('two values are the same exactly when they say the same', () => {
    const small = fc.oneof(json, fc.constantFrom<Json>(null, 0, '0', [], {}, [null], { a: null }, { a: 0 }))
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(sameJson(a, b)).toBe(sameJson(b, a))
        expect(sameJson(a, b)).toBe(sorted(a) === sorted(b))
      }),
    )
  })

  it.each<[string, Json, Json]>([
    ['another order of elements', [1, 2], [2, 1]],
    ['an element more', [1], [1, 2]],
    ['a field more', { a: 1 }, { a: 1, b: 2 }],
    ['another name', { a: 1 }, { b: 1 }],
    ['another value deep down', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    ['an array for an object', [], {}],
    ['an object for an array', {}, []],
    ['a number for its text', 1, '1'],
    ['null for nothing', { a: null }, {}],
    ['an inherited name', { toString: 1 }, { other: 1 }],
  ])('%s is a difference', (_, a, b) => {
    expect(sameJson(a, b)).toBe(false)
  })
})

function sorted(value: Json): string {
  return JSON.stringify(value, (_, field: Json) =>
    isJsonObject(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )
}

describe('a number', () => {
  it('is one, or nothing', () => {
    expect([1.5, 0, '1', null, undefined, [1]].map(numberIn)).toEqual([1.5, 0, null, null, null, null])
  })
})
