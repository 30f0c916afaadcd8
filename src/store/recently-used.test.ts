import fc from 'fast-check'
import { LRUCache } from 'lru-cache'
import { expect, it } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

const MOST = 5

const key = fc.nat({ max: 7 })
const call = fc.oneof(
  { weight: 5, arbitrary: fc.record({ what: fc.constant('get' as const), key }) },
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constant('set' as const), key, size: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('clear' as const) }) },
)

it('keeps what the library keeps', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      const kept = new RecentlyUsed<number, number>(MOST)
      const library = new LRUCache<number, number>({ maxSize: MOST })
      for (const [value, one] of calls.entries()) {
        if (one.what === 'get') expect(kept.get(one.key)).toBe(library.get(one.key))
        else if (one.what === 'set') {
          kept.set(one.key, value, one.size)
          library.set(one.key, value, { size: one.size })
        } else
          for (const cache of [kept, library]) one.what === 'delete' ? cache.delete(one.key) : cache.clear()
        expect(new Map(kept.entries())).toEqual(new Map(library.entries()))
        for (const known of library.keys()) expect(kept.has(known)).toBe(true)
      }
    }),
  )
})

it('counts one for each, unless it is said how large they are', () => {
  const few = new RecentlyUsed<string, string>(2)
  for (const name of ['a', 'b', 'c']) few.set(name, name)
  expect([...few.keys()]).toEqual(['b', 'c'])
  const small = new RecentlyUsed<string, string>(5, (text) => text.length)
  for (const text of ['abc', 'de', 'f', 'much too long']) small.set(text, text)
  expect([...small.keys()]).toEqual(['de', 'f'])
})
