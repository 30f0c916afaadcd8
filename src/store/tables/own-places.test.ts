import { expect, it } from 'vitest'
import { OwnPlaces } from './own-places.ts'

it('is not misled by the order in which it hears of what it wrote', () => {
  const own = new OwnPlaces(10)
  expect(own.wrote(30, 10)).toBe(true)
  expect(own.wrote(40, 10)).toBe(true)
  expect(own.wrote(20, 10)).toBe(true)
  for (let seq = 41; seq < 100; seq++) expect(own.wrote(seq, 1)).toBe(true)
})

it('notices what somebody else wrote when it cannot be on its way any more', () => {
  const own = new OwnPlaces(0)
  const heard = Array.from({ length: 12 }, (_, index) => own.wrote(index + 2, 1))
  expect(heard.filter((isOwn) => !isOwn)).toHaveLength(1)
  own.reached(50)
  expect(own.wrote(51, 1)).toBe(true)
})
