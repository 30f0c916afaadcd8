import { describe, expect, it } from 'vitest'
import { CachedLooks } from './cached-looks.ts'

/** Looks that take as long as they are told, and count themselves. */
function scene(most?: number) {
  const time = { now: 1_000_000 }
  const looks = new CachedLooks({ now: () => time.now }, most)
  let looked = 0
  const look = (key: string, takesMs = 0) =>
    looks.get([key], async () => {
      const n = ++looked
      await Promise.resolve()
      time.now += takesMs
      return `${key} ${n}`
    })
  return { time, looks, look }
}

describe('looks that are kept', () => {
  it('for half a second at least', async () => {
    const { time, look } = scene()
    expect(await look('a')).toBe('a 1')
    time.now += 499
    expect(await look('a')).toBe('a 1')
    time.now += 1
    expect(await look('a')).toBe('a 2')
  })

  it('for ten times as long as they took', async () => {
    const { time, look } = scene()
    await look('a', 100)
    time.now += 999
    expect(await look('a')).toBe('a 1')
    time.now += 1
    expect(await look('a')).toBe('a 2')
  })

  it('for as long as is asked for', async () => {
    const { time, looks } = scene()
    let n = 0
    const slow = () => looks.get(['slow'], async () => ++n, 60_000)
    await slow()
    time.now += 59_999
    expect(await slow()).toBe(1)
    time.now += 1
    expect(await slow()).toBe(2)
  })

  it('one at a time: whoever asks meanwhile gets the same', async () => {
    const { look } = scene()
    expect(await Promise.all([look('a'), look('b'), look('a')])).toEqual(['a 1', 'b 2', 'a 1'])
  })

  it('not when they fail, nor when the clock was set back', async () => {
    const { time, looks, look } = scene()
    const fails = () => looks.get(['x'], () => Promise.reject(new Error('no')))
    await expect(Promise.all([fails(), fails()])).rejects.toThrow('no')
    expect(await looks.get(['x'], async () => 'yes')).toBe('yes')
    await look('a')
    time.now -= 1
    expect(await look('a')).toBe('a 2')
  })

  it('so many at most, those that were looked at last', async () => {
    const { look } = scene(2)
    for (const key of ['a', 'b', 'c']) await look(key)
    expect(await look('b')).toBe('b 2')
    expect(await look('a')).toBe('a 4')
    expect(await look('c')).toBe('c 3')
    expect(await look('b')).toBe('b 5')
  })
})
