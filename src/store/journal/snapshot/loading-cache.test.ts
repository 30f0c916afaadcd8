import { describe, expect, it } from 'vitest'
import { LoadingCache } from './loading-cache.ts'

interface Text {
  readonly text: string
}

const cache = (largest: number) => new LoadingCache<Text>(largest, ({ text }) => text.length)
const load = (text: string) => async () => ({ text })

describe('a cache that loads', () => {
  it('keeps what was used last, up to its size', async () => {
    const kept = cache(4)
    await kept.get(1, load('aa'))
    await kept.get(2, load('bb'))
    expect(kept.here(1)?.text).toBe('aa')
    await kept.get(3, load('cc'))
    expect([kept.here(1)?.text, kept.here(2), kept.here(3)?.text]).toEqual(['aa', undefined, 'cc'])
    expect(kept.get(1, () => Promise.reject(new Error('not asked for')))).toMatchObject({ text: 'aa' })
  })

  it('does not keep what is larger than everything', async () => {
    const kept = cache(4)
    await kept.get(1, load('a'))
    expect(await kept.get(2, load('bbbbb'))).toEqual({ text: 'bbbbb' })
    expect([kept.here(1)?.text, kept.here(2)]).toEqual(['a', undefined])
  })

  it('loads what several ask for once', async () => {
    const kept = cache(4)
    let loads = 0
    const once = async () => ({ text: `${++loads}` })
    const got = await Promise.all([kept.get(1, once), kept.get(1, once), kept.get(1, once)])
    expect(got.map(({ text }) => text)).toEqual(['1', '1', '1'])
  })

  it('tries again after a failure', async () => {
    const kept = cache(4)
    await expect(kept.get(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await kept.get(1, load('a'))).toEqual({ text: 'a' })
  })

  it('forgets everything', async () => {
    const kept = cache(4)
    await kept.get(1, load('aaaa'))
    kept.clear()
    expect(kept.here(1)).toBeUndefined()
    await kept.get(2, load('bbbb'))
    expect(kept.here(2)?.text).toBe('bbbb')
  })
})
