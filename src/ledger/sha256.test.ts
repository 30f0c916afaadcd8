import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256, sha256Here } from './sha256.ts'

const byNode = (text: string) => hash('sha256', text, 'hex')

it('is what Node says, of any text', () => {
  // Around the ends of blocks, and of a block with the length in it.
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 2048]) {
    const text = 'x'.repeat(length)
    expect([length, sha256Here(text)]).toEqual([length, byNode(text)])
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256Here(text) === byNode(text)),
  )
})

it('is the same for the first and for all others, short and long', () => {
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(n % 3 === 0 ? 5000 : 20))
  expect(texts.map(sha256)).toEqual(texts.map(byNode))
})
