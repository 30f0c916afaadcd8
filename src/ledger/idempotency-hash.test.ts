import { describe, expect, it } from 'vitest'
import type { Json } from '../core/json.ts'
import { idempotencyHash } from './idempotency-hash.ts'

const REQUEST = {
  input_ref: 'in',
  output_ref: 'out',
  payload: {} as Json,
  request_type: 'OCR',
  schema_version: 'v1',
  tenant_id: 't1',
}

const hashOf = (payload: Json) => idempotencyHash({ ...REQUEST, payload })

describe('the hash of a request', () => {
  it('A6 is the documented one', () => {
    const known = 'a68f134bb618695f8b76733aea06c521b69a74b454566e30a320d460d3bb7707'
    expect(idempotencyHash(REQUEST)).toBe(known)
  })

  it('A5 does not depend on the order of keys or on null fields', () => {
    expect(hashOf({ a: 1, b: { c: 2 } })).toBe(hashOf({ b: { d: null, c: 2 }, z: null, a: 1 }))
  })

  it('A5 depends on the order of arrays and on nulls in them', () => {
    expect(hashOf([1, 2])).not.toBe(hashOf([2, 1]))
    expect(hashOf([1, null])).not.toBe(hashOf([1]))
  })

  it('A5 takes 1.0, 1 and 1e0 for the same number', () => {
    const [a, b, c] = ['{"n":1.0}', '{"n":1}', '{"n":1e0}'].map((text) => hashOf(JSON.parse(text)))
    expect(a).toBe(b)
    expect(b).toBe(c)
  })

  it('A5 hashes text as UTF-8, not normalised', () => {
    expect(hashOf({ text: 'Größe 漢字 🚚' })).toBe(
      'fb50fbbf75ff57beeaed42d3ad9e4726463b092d9be2e23de4398781c4ffc984',
    )
    expect(hashOf('é')).not.toBe(hashOf('e\u0301'))
  })

  // Half of an emoji in a reference was an error that nobody foresaw: the server answered it with 500.
  it.each([
    ['input_ref', { input_ref: 'a\ud83d' }],
    ['output_ref', { output_ref: { uri: '\ude00' } }],
    ['payload', { payload: { deep: ['x', { '\ud83d': 1 }] } }],
  ] as const)('refuses half a character in %s', (field, wrong) => {
    expect(() => idempotencyHash({ ...REQUEST, ...wrong } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field }),
    )
  })
})
