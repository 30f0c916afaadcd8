import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfString, joinKey, keyText, parseKey, splitKey } from './key-text.ts'

/** Everything that could go wrong, often. */
const odd = fc.string({
  unit: fc.constantFrom(
    'a',
    'default',
    '\t',
    '\\',
    't',
    '"',
    '\n',
    'é',
    '😀',
    '\ud800',
    '\udc00',
    '/',
    ':',
    '{',
  ),
  maxLength: 5,
})
const key = fc.record({ tenant_id: fc.oneof(fc.constant('default'), odd), id: odd })

describe('keys', () => {
  it('read like ids, with the tenant only where it is not the usual one', () => {
    expect(keyText('default', 'doc:1')).toBe('"doc:1"')
    expect(keyText('acme', 'doc:1')).toBe('"acme\\tdoc:1"')
    expect(keyText('default', 'doc\t1')).toBe('"default\\tdoc\\t1"')
  })

  it('come back as they were, whatever is in them', () => {
    fc.assert(
      fc.property(key, ({ tenant_id, id }) => {
        expect(parseKey(keyText(tenant_id, id))).toEqual({ tenant_id, id })
        expect(splitKey(joinKey(tenant_id, id))).toEqual({ tenant_id, id })
      }),
      { numRuns: 1000 },
    )
  })

  it('never meet', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const same = a.tenant_id === b.tenant_id && a.id === b.id
        expect(joinKey(a.tenant_id, a.id) === joinKey(b.tenant_id, b.id)).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  it('end where their string ends', () => {
    fc.assert(
      fc.property(key, ({ tenant_id, id }) => {
        const text = keyText(tenant_id, id)
        expect(endOfString(`${text}:{"a":"b"}`, 0)).toBe(text.length)
      }),
    )
  })

  it('that do not end are not cut short', () => {
    expect(endOfString('"abc', 0)).toBe(5)
    expect(endOfString('"ab\\', 0)).toBe(5)
  })
})
