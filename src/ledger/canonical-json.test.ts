import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identityOf } from '../core/idempotency.ts'
import type { Json } from '../core/json.ts'
import { identityText } from './canonical-json.ts'

const REQUEST = {
  input_ref: 'in',
  output_ref: 'out',
  request_type: 'OCR',
  schema_version: 'v1',
  tenant_id: 't1',
}

const requestOf = (payload: Json) => ({ ...REQUEST, payload })

const payloadText = (payload: Json) =>
  identityText(requestOf(payload))?.slice('{"input_ref":"in","output_ref":"out","payload":'.length) ?? null

const AFTER = ',"request_type":"OCR","schema_version":"v1","tenant_id":"t1"}'

const anyJson = fc.oneof(
  fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 }),
  fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }),
  fc.dictionary(fc.string({ maxLength: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }), {
    maxKeys: 30,
  }),
) as fc.Arbitrary<Json>

describe('canonical JSON', () => {
  it('is what the library makes of it, without null fields, unless it is left to the library', () => {
    let left = 0
    fc.assert(
      fc.property(anyJson, (payload) => {
        const request = requestOf(payload)
        const text = identityText(request)
        if (text === null) left++
        else expect(text).toBe(canonicalize(identityOf(request)))
      }),
      { numRuns: 2000 },
    )
    expect(left).toBeLessThan(1000)
  })

  it('is in order whatever came before', () => {
    for (let round = 0; round < 2; round++) {
      expect(payloadText({ b: 10, a: -0.5, c: [] })).toBe(`{"a":-0.5,"b":10,"c":[]}${AFTER}`)
      expect(payloadText({ b: 10, a: -0.5 })).toBe(`{"a":-0.5,"b":10}${AFTER}`)
      expect(payloadText({ b: { z: 1, y: null, x: [{ d: 1, c: null }] }, a: null })).toBe(
        `{"b":{"x":[{}],"z":1}}`.replace('{}', '{"d":1}') + AFTER,
      )
    }
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${(n * 7) % 40}`, n]))
    expect(payloadText(many)).toBe(canonicalize(many) + AFTER)
  })

  it.each([
    ['names like places of a list', { b: 1, 10: 2, 9: 3 }],
    ['a name that is no field', JSON.parse('{"__proto__":1}') as Json],
    ['nothing at all', null],
    ['half a character', '\ud800'],
    ['half a character in a list', ['a', '\udc00b']],
    ['half a character in a name', { a: { '\ud800': 1 } }],
    ['text that looks as if it had', { a: '\\ud800' }],
  ])('is left to the library for %s', (_, payload) => {
    expect(identityText(requestOf(payload as Json))).toBeNull()
  })

  it('is left to the library for references that are not there', () => {
    for (const field of ['input_ref', 'output_ref']) {
      expect(identityText({ ...requestOf({}), [field]: null } as never)).toBeNull()
      expect(identityText({ ...requestOf({}), [field]: { 1: 1 } } as never)).toBeNull()
    }
  })
})
