import { describe, expect, it } from 'vitest'
import { Crowd } from './crowd.ts'

/** Tosses in turn. */
function coin(...tosses: readonly number[]) {
  let n = 0
  return { next: () => tosses[n++ % tosses.length] as number }
}

const WORK = ['a', 'b', 'c', 'd']
const ANY_ORDER = () => false

describe('a crowd that looks for work', () => {
  it('takes the first, as long as nobody is in the way', () => {
    const crowd = new Crowd(coin(0.9))
    crowd.tried(4, 0)
    crowd.tried(4, 1)
    expect(crowd.width).toBe(1)
    expect(crowd.part(WORK, ANY_ORDER)).toEqual(WORK)
  })

  it('leaves ever more to others while races are lost, up to a point, and less when they are won', () => {
    const crowd = new Crowd(coin(0.1, 0.9))
    const widths = [3, 8, 8, 8].map((lost) => {
      crowd.tried(8, lost)
      return crowd.width
    })
    expect(widths).toEqual([2, 8, 16, 16])
    crowd.tried(0, 0)
    expect(crowd.width).toBe(16)
    crowd.tried(8, 1)
    expect(crowd.width).toBe(16)
    crowd.tried(8, 0)
    expect(crowd.width).toBe(8)
    expect(crowd.part(WORK, ANY_ORDER)).toEqual(['a', 'c'])
  })

  it('leaves nothing to others that has to go in its order, and not everything', () => {
    const crowd = new Crowd(coin(0.9))
    crowd.tried(1, 1)
    expect(crowd.part(WORK, (piece) => piece === 'b')).toEqual(['b'])
    expect(crowd.part(WORK, ANY_ORDER)).toEqual(WORK)
  })
})
