import { expect, it } from 'vitest'
import { limitOf, parsePlaces, parseRate, rateText } from './load-text.ts'

it('takes a rate as people write it', () => {
  expect(parseRate('5/1s')).toEqual({ max: 5, per_ms: 1000 })
  expect(parseRate('100/m')).toEqual({ max: 100, per_ms: 60_000 })
  expect(parseRate('1/1h 30m')).toEqual({ max: 1, per_ms: 5_400_000 })
  expect(limitOf(parseRate('none'))).toBeNull()
  for (const wrong of ['5', '5/', '/1s', 'x/1s', '5/0s', '5/soon', '-1/1s']) {
    expect(() => parseRate(wrong), wrong).toThrow(expect.objectContaining({ field: 'rate' }))
  }
})

it('takes a number of places', () => {
  expect(parsePlaces('4')).toBe(4)
  expect(limitOf(parsePlaces('none'))).toBeNull()
  expect(limitOf(undefined)).toBeUndefined()
  expect(() => parsePlaces('many')).toThrow(expect.objectContaining({ field: 'concurrency' }))
})

it('tells a rate', () => {
  expect(rateText({ max: 5, per_ms: 1000 })).toBe('5 in 1s')
})
