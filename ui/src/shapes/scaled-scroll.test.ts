import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  HIGHEST_PX,
  heightOf,
  lineAt,
  ratioOf,
  type Scrolled,
  scrollTopOf,
  windowAt,
} from './scaled-scroll.ts'

const few: Scrolled = { lines: 1000, lineHeight: 20, viewport: 400 }
const lots: Scrolled = { lines: 1_000_000, lineHeight: 20, viewport: 400 }

describe('a list of any length', () => {
  it('is as high as its lines while that can be', () => {
    expect(heightOf(few)).toBe(20_000)
    expect(ratioOf(few)).toBe(1)
    expect(windowAt(few, 200, 0)).toEqual({ first: 10, end: 30, top: 200 })
  })

  it('is no higher than browsers bear', () => {
    expect(heightOf(lots)).toBe(HIGHEST_PX)
    expect(ratioOf(lots)).toBeGreaterThan(1)
  })

  it('begins with the first line and ends with the last one, in sight', () => {
    for (const list of [few, lots, { ...few, lines: 3 }]) {
      const bottom = Math.max(0, heightOf(list) - list.viewport)
      expect(windowAt(list, 0, 5)).toMatchObject({ first: 0, top: 0 })
      const { first, end, top } = windowAt(list, bottom, 5)
      expect(end).toBe(list.lines)
      expect(top + (end - first) * list.lineHeight).toBeCloseTo(heightOf(list), 3)
    }
  })

  it('is empty without lines', () => {
    expect(windowAt({ ...few, lines: 0 }, 0, 5)).toEqual({ first: 0, end: 0, top: 0 })
  })

  it('finds a line where it scrolled to it', () => {
    const line = fc.integer({ min: 0, max: 999_900 })
    fc.assert(
      fc.property(line, (n) => {
        expect(lineAt(lots, scrollTopOf(lots, n))).toBeCloseTo(n, 3)
        const { first, end } = windowAt(lots, scrollTopOf(lots, n) + 0.001, 0)
        expect(n).toBeGreaterThanOrEqual(first)
        expect(n).toBeLessThan(end)
      }),
    )
  })

  it('covers the whole of what is seen, wherever it is scrolled to', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), share, (lines, at) => {
        const list = { ...lots, lines }
        const scrollTop = at * Math.max(0, heightOf(list) - list.viewport)
        const { first, end, top } = windowAt(list, scrollTop, 2)
        const bottom = top + (end - first) * list.lineHeight
        expect(top).toBeLessThanOrEqual(scrollTop + 0.01)
        expect(bottom).toBeGreaterThanOrEqual(Math.min(scrollTop + list.viewport, heightOf(list)) - 0.01)
      }),
    )
  })
})
