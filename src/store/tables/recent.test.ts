import { expect, it } from 'vitest'
import { Recent } from './recent.ts'

it('keeps what was put last, so many at least and twice as many at most', () => {
  const recent = new Recent<number>(3)
  for (let n = 1; n <= 7; n++) recent.set('t', String(n), n)
  const kept = [1, 2, 3, 4, 5, 6, 7].filter((n) => recent.get('t', String(n)) === n)
  expect(kept).toEqual([4, 5, 6, 7])
})

it('has the newest of what was put twice, and nothing of what was removed', () => {
  const recent = new Recent<number>(2)
  for (let n = 1; n <= 3; n++) recent.set('t', 'one', n)
  expect(recent.get('t', 'one')).toBe(3)
  expect(recent.get('u', 'one')).toBeUndefined()
  recent.delete('t', 'one')
  expect(recent.get('t', 'one')).toBeUndefined()
})
