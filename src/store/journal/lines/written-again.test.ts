import { expect, it } from 'vitest'
import { LineBytes } from './line-bytes.ts'
import { WrittenAgain } from './written-again.ts'

it('writes what is the same from what it wrote before, and everything else anew', () => {
  let written = 0
  const again = new WrittenAgain<string>(
    (text, into) => {
      written++
      into.text(text)
    },
    (a, b) => a === b,
  )
  const long = 'x'.repeat(2000)
  const texts = ['a', 'a', 'b', 'a', long, long, 'a', 'a']
  const into = new LineBytes()
  for (const text of texts) again.write(text, into)
  expect(into.bytes.toString('utf8', 0, into.size)).toBe(texts.map((text) => JSON.stringify(text)).join(''))
  // What is long is not kept.
  expect(written).toBe(6)
})
