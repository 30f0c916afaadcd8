import { expect, it } from 'vitest'
import { wrapTo } from './wrap.ts'

it('breaks between words, and never within one', () => {
  expect(wrapTo('a bc def', 4)).toEqual(['a bc', 'def'])
  expect(wrapTo('abcdefgh i', 4)).toEqual(['abcdefgh', 'i'])
  expect(wrapTo('日本 語', 5)).toEqual(['日本', '語'])
  expect(wrapTo('one line', Number.POSITIVE_INFINITY)).toEqual(['one line'])
  expect(wrapTo('', 10)).toEqual([''])
})
