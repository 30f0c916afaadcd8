import { expect, it } from 'vitest'
import { safeJson, safeText } from './safe-text.ts'

it('shows control characters, and sends none', () => {
  expect(safeText('a\u001b[31mb\u0007\r\n\u007f')).toBe('a␛[31mb␇␍␊␡')
  expect(safeText('\u009b2J\u202eabc\u2066\u2028')).toBe('\\u{9b}2J\\u{202e}abc\\u{2066}\\u{2028}')
  expect(safeText('half \ud83d, whole 😀')).toBe('half \\u{d83d}, whole 😀')
})

it('leaves everything else as it is', () => {
  const text = 'pubmed:123#1 日本語 é 👩‍👩‍👧 → …'
  expect(safeText(text)).toBe(text)
})

it('escapes them in JSON, which says the same', () => {
  const value = { name: '\u001b]0;title\u0007\u009b\u202e\u007f', n: 1 }
  const json = safeJson(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  expect(JSON.parse(json)).toEqual(value)
})
