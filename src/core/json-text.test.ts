import { expect, it } from 'vitest'
import { jsonText, rememberJson } from './json-text.ts'

it('is what it was when it was remembered, and of everything else what it is now', () => {
  const value = { b: [1, { a: 'ü' }], a: null }
  expect(jsonText(value)).toBe('{"b":[1,{"a":"ü"}],"a":null}')
  rememberJson(value)
  Object.freeze(value)
  expect(jsonText(value)).toBe('{"b":[1,{"a":"ü"}],"a":null}')
  expect(jsonText({ ...value, c: 1 })).toBe('{"b":[1,{"a":"ü"}],"a":null,"c":1}')
  expect(jsonText(value)).toBe('{"b":[1,{"a":"ü"}],"a":null}')
})
