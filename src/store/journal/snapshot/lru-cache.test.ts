import { describe, expect, it } from 'vitest'
import { LruCache } from './lru-cache.ts'

const cache = (largest: number) => new LruCache<string>(largest, (text) => text.length)

describe('LruCache', () => {
  it('keeps what was used last, up to its weight', async () => {
    const kept = cache(4)
    await kept.get(1, async () => 'aa')
    await kept.get(2, async () => 'bb')
    expect(kept.peek(1)).toBe('aa')
    await kept.get(3, async () => 'cc')
    expect([kept.peek(1), kept.peek(2), kept.peek(3)]).toEqual(['aa', undefined, 'cc'])
    expect(kept.get(1, () => Promise.reject(new Error('not asked for')))).toBe('aa')
  })

  it('does not keep what weighs more than everything', async () => {
    const kept = cache(4)
    await kept.get(1, async () => 'a')
    expect(await kept.get(2, async () => 'bbbbb')).toBe('bbbbb')
    expect([kept.peek(1), kept.peek(2)]).toEqual(['a', undefined])
  })

  it('loads what several ask for once', async () => {
    const kept = cache(4)
    let loads = 0
    const load = async () => `${++loads}`
    expect(await Promise.all([kept.get(1, load), kept.get(1, load), kept.get(1, load)])).toEqual([
      '1',
      '1',
      '1',
    ])
  })

  it('tries again after a failure', async () => {
    const kept = cache(4)
    const failing = kept.get(1, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await kept.get(1, async () => 'a')).toBe('a')
  })

  it('forgets everything', async () => {
    const kept = cache(4)
    await kept.get(1, async () => 'aaaa')
    kept.clear()
    expect(kept.peek(1)).toBeUndefined()
    await kept.get(2, async () => 'bbbb')
    expect(kept.peek(2)).toBe('bbbb')
  })
})
