import { expect, it } from 'vitest'
import { TwoKeys } from './two-keys.ts'

it('keeps tenants apart', () => {
  const map = new TwoKeys<number>()
  map.set('t', 'a', 1)
  map.set('t', 'b', 2)
  map.set('z', 'a', 3)
  map.set('t', 'a', 4)
  expect([map.get('t', 'a'), map.get('z', 'a'), map.get('z', 'b'), map.get('y', 'a')]).toEqual([
    4,
    3,
    undefined,
    undefined,
  ])
  expect([[...map.values('t')], [...map.values('y')], [...map.values()]]).toEqual([[4, 2], [], [4, 2, 3]])
  map.delete('t', 'a')
  map.delete('y', 'a')
  expect([...map.values()]).toEqual([2, 3])
})

it('finds what was added after somebody looked for it, of the right tenant', () => {
  const map = new TwoKeys<number>()
  map.set('t', 'a', 1)
  map.set('z', 'a', 2)
  expect([map.get('t', 'b'), map.get('t', 'b'), map.get('z', 'b')]).toEqual([undefined, undefined, undefined])
  map.set('z', 'b', 3)
  expect([map.get('t', 'b'), map.get('z', 'b')]).toEqual([undefined, 3])
  map.set('t', 'b', 4)
  expect([map.get('t', 'b'), map.get('z', 'b')]).toEqual([4, 3])
  map.delete('t', 'b')
  expect([map.get('t', 'b'), map.get('z', 'b')]).toEqual([undefined, 3])
})
