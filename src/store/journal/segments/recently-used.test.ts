import { describe, expect, it } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

describe('what was used last', () => {
  it('stays, and what was not used for the longest time goes', () => {
    const cache = new RecentlyUsed<string>(30)
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 10)
    cache.get('a')
    cache.set('d', 'd', 10)
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd'])
  })

  it('counts what was put in again once, and does not keep what is too large', () => {
    const cache = new RecentlyUsed<number>(30)
    cache.set('a', 1, 20)
    cache.set('a', 2, 10)
    cache.set('b', 3, 20)
    expect([cache.get('a'), cache.get('b')]).toEqual([2, 3])
    cache.set('c', 4, 31)
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined])
  })
})
