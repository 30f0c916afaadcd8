import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

const MOST = 5

/** The same as a list, the oldest first. */
class Listed {
  #entries: { readonly key: number; readonly value: number; readonly size: number }[] = []

  get(key: number): number | undefined {
    const found = this.#entries.find((entry) => entry.key === key)
    if (found === undefined) return undefined
    this.delete(key)
    this.#entries.push(found)
    return found.value
  }

  set(key: number, value: number, size: number): void {
    this.delete(key)
    if (size > MOST) return
    this.#entries.push({ key, value, size })
    while (this.#entries.reduce((sum, entry) => sum + entry.size, 0) > MOST) this.#entries.shift()
  }

  delete(key: number): void {
    this.#entries = this.#entries.filter((entry) => entry.key !== key)
  }

  clear(): void {
    this.#entries = []
  }

  get keys(): readonly number[] {
    return this.#entries.map(({ key }) => key).sort()
  }
}

const key = fc.nat({ max: 7 })
const call = fc.oneof(
  { weight: 5, arbitrary: fc.record({ what: fc.constant('get' as const), key }) },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('set' as const), key, size: fc.nat({ max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('clear' as const) }) },
)

it('keeps what was used last, as far as there is room', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      const kept = new RecentlyUsed<number, number>(MOST)
      const listed = new Listed()
      for (const [value, one] of calls.entries()) {
        if (one.what === 'get') expect(kept.get(one.key)).toBe(listed.get(one.key))
        else if (one.what === 'set') for (const cache of [kept, listed]) cache.set(one.key, value, one.size)
        else if (one.what === 'delete') for (const cache of [kept, listed]) cache.delete(one.key)
        else for (const cache of [kept, listed]) cache.clear()
        expect([...kept.keys()].sort()).toEqual(listed.keys)
        for (const known of listed.keys) expect(kept.has(known)).toBe(true)
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
