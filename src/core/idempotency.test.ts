import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differingFields, idempotencyClaim, identityOf, type RequestIdentity } from './idempotency.ts'

function request(more: Partial<RequestIdentity> = {}): RequestIdentity {
  return {
    tenant_id: 't1',
    request_type: 'OCR',
    input_ref: 'in',
    output_ref: 'out',
    payload: { pages: [1, 2], language: 'de' },
    schema_version: 'v1',
    ...more,
  }
}

describe('what makes a request the same request', () => {
  it('A5: six fields and nothing else, without null fields', () => {
    const more = { doc_id: 'd', priority: 1, correlation_id: 'c' }
    const payload = { a: null, b: [null], c: { d: null } }
    const identity = identityOf({ ...request({ payload }), ...more })
    expect(identity).toEqual({
      tenant_id: 't1',
      request_type: 'OCR',
      input_ref: 'in',
      output_ref: 'out',
      payload: { b: [null], c: {} },
      schema_version: 'v1',
    })
    expect(identityOf(request({ payload: null }))).not.toHaveProperty('payload')
  })

  it('A5: key order and null fields make no difference; array order does', () => {
    const payload = { language: 'de', engine: null, pages: [1, 2] }
    expect(differingFields(request(), request({ payload }))).toEqual([])
    expect(differingFields(request(), request({ payload: { pages: [2, 1], language: 'de' } }))).toEqual([
      'payload',
    ])
  })

  it('A7: names every field that differs, and no other', () => {
    const fields = [
      'input_ref',
      'output_ref',
      'payload',
      'request_type',
      'schema_version',
      'tenant_id',
    ] as const
    fc.assert(
      fc.property(fc.subarray([...fields]), (changed) => {
        const other = Object.fromEntries(changed.map((field) => [field, `another ${field}`]))
        expect(differingFields(request(), { ...request(), ...other })).toEqual(changed)
      }),
    )
  })

  it('a ref with details differs from the bare address', () => {
    expect(differingFields(request(), request({ input_ref: { uri: 'in' } }))).toEqual(['input_ref'])
  })
})

describe('the claim of a request', () => {
  it('is the caller’s key, or what the request says', () => {
    expect(idempotencyClaim('k', 'h')).toBe('key:k')
    expect(idempotencyClaim(null, 'h')).toBe('request:h')
  })

  it('a key that looks like a hash is still a key', () => {
    expect(idempotencyClaim('h', 'x')).not.toBe(idempotencyClaim(null, 'h'))
  })
})
