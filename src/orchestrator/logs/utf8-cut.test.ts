import { expect, it } from 'vitest'
import { charEnd, charStart } from './utf8-cut.ts'

const text = 'aé€𝄞b\né€𝄞'
const bytes = Buffer.from(text)

it('cuts of any size put together are the text, and no character is cut', () => {
  for (let size = 1; size <= bytes.length; size++) {
    let together = ''
    for (let at = 0; at < bytes.length; ) {
      const end = charEnd(bytes, at, Math.min(at + size, bytes.length))
      expect(end, `from ${at} by ${size}`).toBeGreaterThan(at)
      together += bytes.subarray(at, end).toString()
      at = end
    }
    expect(together, `by ${size}`).toBe(text)
  }
})

it('a place inside a character is moved to the next one', () => {
  const starts = Array.from(bytes.keys(), (at) => charStart(bytes, at))
  expect(starts).toEqual([0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10, 11, 12, 14, 14, 17, 17, 17, 21, 21, 21])
})

it('what is not UTF-8 goes on all the same', () => {
  const noise = Buffer.alloc(40, 0x80)
  expect(charStart(noise, 3)).toBe(3)
  expect(charEnd(noise, 0, 20)).toBe(20)
  expect(charEnd(noise, 0, 2)).toBeGreaterThan(0)
})
