import { describe, expect, it } from 'vitest'
import { SeededRandom } from './seeded-random.ts'

function roll(seed: number, times: number): readonly number[] {
  const random = new SeededRandom(seed)
  return Array.from({ length: times }, () => random.next())
}

describe('seeded random', () => {
  it('falls the same way for the same seed, and otherwise for another', () => {
    expect(roll(7, 100)).toEqual(roll(7, 100))
    expect(roll(7, 100)).not.toEqual(roll(8, 100))
  })

  it('takes any number as a seed', () => {
    for (const seed of [0, -1, 2 ** 40, 0.5]) expect(new Set(roll(seed, 100)).size).toBeGreaterThan(90)
  })

  it('is spread evenly over [0, 1)', () => {
    const rolls = roll(1, 10_000)
    expect(Math.min(...rolls)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...rolls)).toBeLessThan(1)
    const buckets = Object.values(Object.groupBy(rolls, (n) => Math.floor(n * 10)))
    expect(buckets).toHaveLength(10)
    for (const bucket of buckets) expect(Math.abs((bucket?.length ?? 0) - 1000)).toBeLessThan(150)
  })
})
