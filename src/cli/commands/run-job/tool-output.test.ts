import { expect, it } from 'vitest'
import { shownText } from './tool-output.ts'

it('keeps lines and tabs, and nothing that a terminal would obey', () => {
  expect(shownText('a\tb\r\nc\n')).toBe('a\tb\nc\n')
  expect(shownText('\u001b[1;32mok\u001b[0m')).toBe('ok')
  expect(shownText('10 %\r20 %')).toBe('10 %\n20 %')
  expect(shownText('\u001b]0;title\u0007')).toBe('␛]0;title␇')
})
