import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadCursor } from '../../errors/input-errors.ts'
import { START } from '../store.ts'
import { cursorOf, positionOf } from './position.ts'

const lane = fc.record({ seq: fc.nat(2 ** 40), offset: fc.nat(5000) })
const lanes = fc.array(fc.tuple(fc.nat(9999), lane), { maxLength: 20 }).map((entries) => new Map(entries))

describe('a position in the log', () => {
  it('is what its cursor says, but for lanes of which nothing was read', () => {
    fc.assert(
      fc.property(lanes, (position) => {
        const read = [...position].filter(([, { seq, offset }]) => seq + offset > 0)
        expect(positionOf(cursorOf(position))).toEqual(new Map(read.sort(([a], [b]) => a - b)))
      }),
    )
  })

  it('has the same cursor in whatever order its lanes are named', () => {
    fc.assert(
      fc.property(lanes, (position) => {
        expect(cursorOf(new Map([...position].reverse()))).toBe(cursorOf(position))
      }),
    )
  })

  it('begins where every log does', () => {
    expect(cursorOf(new Map())).toBe(START)
    expect(cursorOf(new Map([[3, { seq: 0, offset: 0 }]]))).toBe(START)
    expect(positionOf(START)).toEqual(new Map())
  })

  it.each(['', 'w', '1', 'w1', 'w1-', 'w1-2.', 'w1-2-3-4', 'W1-2', 'r1-2', 'w1-2 '])(
    'is not %j',
    (cursor) => {
      expect(() => positionOf(cursor)).toThrow(BadCursor)
    },
  )
})
