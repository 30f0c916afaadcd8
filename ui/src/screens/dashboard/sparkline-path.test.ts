import { describe, expect, it } from 'vitest'
import { gathered, sparklinePoints } from './sparkline-path.ts'

const size = { width: 60, height: 20 }

describe('a sparkline', () => {
  it('goes from left to right, the highest at the top', () => {
    expect(sparklinePoints([0, 2, 4, 1], size)).toBe('0,20 20,10 40,0 60,15')
  })

  it('lies at the bottom when nothing happened', () => {
    expect(sparklinePoints([0, 0], size)).toBe('0,20 60,20')
  })

  it('may have one number or none', () => {
    expect(sparklinePoints([3], size)).toBe('0,0')
    expect(sparklinePoints([], size)).toBe('')
  })
})

describe('gathered numbers', () => {
  it('are sums of neighbours', () => {
    expect(gathered([1, 2, 3, 4, 5], 3)).toEqual([3, 7, 5])
  })

  it('stay as they are when they are few', () => {
    expect(gathered([1, 2], 3)).toEqual([1, 2])
  })
})
