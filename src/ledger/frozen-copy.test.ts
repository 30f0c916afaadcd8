import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEEPEST, FORBIDDEN_NAMES } from '../core/names.ts'
import { frozenCopy, writtenCopy } from './frozen-copy.ts'

function isFrozenAllThrough(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isFrozenAllThrough)
}

/** What is refused is tested by itself; the dice come up with such names now and then. */
function hasForbiddenName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => FORBIDDEN_NAMES.has(name) || hasForbiddenName(inner))
}

/** In arrays so many times. */
function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)]
}

describe('a frozen copy', () => {
  it('is the same, frozen all through, and leaves the original as it was', () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => !hasForbiddenName(value)),
        (value) => {
          for (const copy of [frozenCopy(value), writtenCopy(value)?.copy]) {
            expect(copy).toEqual(value)
            expect(isFrozenAllThrough(copy)).toBe(true)
            if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
          }
          expect(isFrozenAllThrough(value)).toBe(typeof value !== 'object' || value === null)
        },
      ),
    )
  })

  it('comes with its text for whoever writes it', () => {
    expect(writtenCopy({ b: [1, 2], a: { c: null } })?.text).toBe('{"b":[1,2],"a":{"c":null}}')
    expect(writtenCopy(Number.NaN)).toBeUndefined()
  })

  it('takes objects without a prototype, and things as deep as they may be', () => {
    expect(frozenCopy(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
    expect(frozenCopy(nested(DEEPEST))).toEqual(nested(DEEPEST))
  })

  it('is not made of what is not quite plain JSON', () => {
    const forbidden = ['__proto__', 'constructor', 'prototype'].map((name) => JSON.parse(`{"${name}":1}`))
    for (const odd of [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      10n,
      () => 1,
      Symbol('s'),
      new Date(),
      new Map(),
      new (class Own {})(),
      Array(1),
      nested(DEEPEST + 1),
      { a: undefined },
      ...forbidden,
    ]) {
      for (const value of [odd, [odd], { deep: [{ odd }] }]) expect(frozenCopy(value)).toBeUndefined()
    }
  })
})
