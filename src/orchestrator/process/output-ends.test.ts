import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LastBytes } from './last-bytes.ts'
import { OutputEnds } from './output-ends.ts'

it('keeps the last bytes in order, whatever the pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 30 })),
      fc.integer({ min: 1, max: 20 }),
      (pieces, most) => {
        const last = new LastBytes(most)
        for (const piece of pieces) last.add(piece)
        const all = Buffer.concat(pieces)
        expect(last.bytes()).toEqual(all.subarray(Math.max(0, all.length - most)))
        expect(last.total).toBe(all.length)
        expect(last.dropped).toBe(Math.max(0, all.length - most))
      },
    ),
  )
})

it('has one text for both ends when all of it fits', () => {
  const ends = new OutputEnds()
  ends.add(Buffer.from([0x41, 0xc3]))
  expect(ends.tail).toBe('A\ufffd')
  expect(ends.head).toBe('A\ufffd')
})

it('shows no half characters where it was cut', () => {
  for (const before of ['', 'a', 'ab', 'abc']) {
    const ends = new OutputEnds()
    const text = before + '€'.repeat(50_000)
    ends.add(Buffer.from(text))
    expect(text.startsWith(ends.head)).toBe(true)
    expect(text.endsWith(ends.tail)).toBe(true)
    expect(Buffer.byteLength(ends.head)).toBeGreaterThan(64 * 1024 - 4)
    expect(Buffer.byteLength(ends.tail)).toBeGreaterThan(64 * 1024 - 4)
  }
})

it('does not hold on to what it was given', () => {
  const ends = new OutputEnds()
  const piece = Buffer.from('abc')
  ends.add(piece)
  ends.add(Buffer.alloc(100_000, 'x'))
  piece.fill('z')
  expect(ends.head.startsWith('abcx')).toBe(true)
})
